//! What exports of shops, feeds and collectors of prices call our columns, in English and French.
//!
//! Names stand without case, marks, gaps and connectives: `nomproduit` is `Nom du produit`.

/// Words that only join others.
pub(super) const CONNECTIVES: &[&str] =
    &["of", "the", "de", "du", "des", "d", "la", "le", "les", "l", "un", "une"];

/// Words around a name that say little: `Variant Price`, `prices.currency`, `price_cad`.
pub(super) const FILLERS: &[&str] = &[
    "product", "products", "item", "variant", "offer", "offers", "prices", "g", "google", "shopping", "usd",
    "cad", "us", "ca", "en", "fr", "value", "text", "raw", "field", "produit", "article",
];

/// Each column of ours, the names that mean it, and those that may mean it or something else; parted by blanks.
pub(super) const SYNONYMS: &[(&str, &str, &str)] = &[
    (
        "country",
        "countrycode countryname market pays codepays storecountry nation",
        "region locale geo territory marketplace",
    ),
    (
        "platform",
        "retailer retailername retailerkey store storename shop shopname merchant merchantname seller \
         sellername vendor vendorname chain chainname banner website site domain magasin nommagasin \
         detaillant marchand vendeur enseigne banniere boutique commercant",
        "source supplier provider channel company marketplace soldby outlet fournisseur",
    ),
    (
        "product_id",
        "sku skuid skuno skunumber skucode productsku itemid itemno itemnumber itemcode itemsku article \
         articleid articleno articlenumber articlecode asin id pid uid productcode productno \
         productnumber productkey productref variantid variantsku offerid listingid uniqueid externalid \
         tcin idproduit produitid codeproduit noproduit numeroproduit idarticle codearticle noarticle \
         numeroarticle ugs identifiant",
        "handle reference ref code key item product produit upc ean gtin13 barcode codebarres model",
    ),
    (
        "product_name",
        "title name producttitle itemname itemtitle articlename displayname longname fullname product item \
         description productdescription itemdescription nom titre nomproduit nomarticle titreproduit \
         libelle designation produit",
        "desc shortdescription label article shortname intitule",
    ),
    (
        "brand",
        "brandname brands manufacturer manufacturername make maker mfr mfg marque marques nommarque \
         fabricant",
        "vendor vendorname producer producteur label",
    ),
    (
        "gtin",
        "upc upca upce upccode upcno upcnumber baseupcno ean ean8 ean13 eancode eanupc upcean barcode \
         barcodes gtin8 gtin12 gtin13 gtin14 gtincode gtinupceanorisbn isbn isbn13 jan codebarres codebarre \
         codesbarres cup codecup",
        "globaluniqueid",
    ),
    (
        "category_path",
        "category categories categoryname categorytree categoryhierarchy taxonomy producttype \
         productcategory productcategories googleproductcategory primarycategories primarycategory \
         maincategory department departments dept aisle shelf breadcrumb breadcrumbs categorie \
         chemincategorie rayon departement",
        "section subcategory souscategorie class type tags collection famille",
    ),
    ("gpc_code", "gpc gpcbrick gpcbrickcode brick brickcode gs1gpc gs1brick codegpc", ""),
    (
        "condition",
        "productcondition itemcondition offercondition conditionname etat etatproduit",
        "quality grade",
    ),
    (
        "rating",
        "stars starrating averagerating avgrating ratingaverage ratingavg ratingvalue reviewrating \
         reviewsrating reviewscore reviewaverage customerrating productrating note notemoyenne evaluation \
         cote",
        "score ratings",
    ),
    (
        "review_count",
        "reviews reviewscount numreviews numberreviews nreviews noreviews totalreviews reviewsnumber \
         reviewnumber ratingcount ratingscount numratings numberratings ratingstotal totalratings avis \
         nbavis nombreavis nbreavis",
        "ratings comments",
    ),
    (
        "url",
        "link uri href permalink producturl productlink productpage producturi itemurl itemlink offerurl \
         pageurl canonicalurl detailurl sourceurl sourceurls weburl weblink lien lienproduit urlproduit \
         adresseweb",
        "page website site",
    ),
    (
        "mpn",
        "manufacturerpartnumber manufacturernumber mfrpartnumber mfgpartnumber mfrno partnumber partno \
         model modelnumber modelno modelcode modele nomodele numeromodele numeropiece referencefabricant",
        "part style stylenumber reference",
    ),
    (
        "date",
        "scrapedat scrapedate scrapedon datescraped scrapetime timestamp datetime time observed observedat \
         observedon observeddate observationdate dateobserved day crawldate crawledat crawltime datecrawled \
         dateseen seenat seenon asof asofdate snapshotdate snapshotat collectedat collectiondate \
         datecollected capturedat capturedate fetchedat fetchdate retrievedat extractedat extractdate \
         extractiondate pricedate datetimeutc nowtime querytime dt ds jour datereleve datecollecte dateprix \
         dateobservation dateextraction horodatage",
        "week month semaine mois updatedat updated lastupdated dateupdated createdat created dateadded \
         modified",
    ),
    (
        "price",
        "saleprice currentprice pricecurrent activeprice offerprice sellingprice sellprice finalprice \
         netprice nowprice pricenow yourprice ourprice specialprice discountprice discountedprice \
         promoprice promotionalprice buyprice priceamount amount amountmin cost prix prixactuel prixcourant \
         prixvente prixsolde prixpromo prixpromotionnel prixreduit prixfinal tarif montant cout",
        "retailprice unitprice prixunitaire prixdetail regularprice prixregulier amountmax pricemin \
         minprice lowprice pricemax",
    ),
    (
        "list_price",
        "msrp rrp srp regularprice regular regprice reg regpr was wasprice pricewas compareatprice compareat originalprice \
         priceoriginal oldprice priceold baseprice fullprice normalprice standardprice previousprice \
         pricebefore strikethroughprice strikeprice crossedoutprice suggestedprice suggestedretailprice \
         priceregular prixregulier prixhabituel prixbarre prixsuggere prixoriginal prixnormal prixcatalogue \
         ancienprix prixavant pdsf pdsm",
        "retailprice prixdetail amountmax highprice pricemax",
    ),
    (
        "in_stock",
        "availability available isavailable isinstock stock stockstatus stockavailability instockflag \
         instockstatus disponibilite disponible estdisponible enstock",
        "inventory inventoryqty variantinventoryqty quantity qty stockquantity stocklevel",
    ),
    (
        "promo",
        "onsale isonsale sale issale ispromo ispromotion promotion promotions promoflag onpromo onpromotion \
         onspecial special isspecial discounted isdiscounted promotionflag enpromotion enpromo ensolde \
         enspecial solde rabais promotionnel",
        "discount deal clearance",
    ),
    (
        "currency",
        "currencycode currencyiso currencyisocode pricecurrency curr ccy devise monnaie codedevise",
        "",
    ),
];
