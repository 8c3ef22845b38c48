"""Contains all the data models used in inputs/outputs"""

from .aggregate_by import AggregateBy
from .alternate_category import AlternateCategory
from .answer_expired_error import AnswerExpiredError
from .answer_expired_problem import AnswerExpiredProblem
from .answer_meta import AnswerMeta
from .answer_window import AnswerWindow
from .assortment_change import AssortmentChange
from .assortment_churn import AssortmentChurn
from .assortment_gap import AssortmentGap
from .assortment_peer import AssortmentPeer
from .availability import Availability
from .availability_by import AvailabilityBy
from .availability_index_answer import AvailabilityIndexAnswer
from .availability_row import AvailabilityRow
from .bad_parameter import BadParameter
from .basket_answer import BasketAnswer
from .basket_item import BasketItem
from .basket_offer import BasketOffer
from .basket_point import BasketPoint
from .best_offer import BestOffer
from .best_price_answer import BestPriceAnswer
from .best_price_row import BestPriceRow
from .best_prices_answer import BestPricesAnswer
from .brand_at_retailer import BrandAtRetailer
from .brand_breakdown_answer import BrandBreakdownAnswer
from .brand_category import BrandCategory
from .brand_in_category import BrandInCategory
from .brand_retailer import BrandRetailer
from .brand_share import BrandShare
from .brand_tracker_answer import BrandTrackerAnswer
from .brands_answer import BrandsAnswer
from .brick_attribute import BrickAttribute
from .brick_attributes_answer import BrickAttributesAnswer
from .brick_mapping import BrickMapping
from .brick_schema import BrickSchema
from .categories_answer import CategoriesAnswer
from .category_concentration_answer import CategoryConcentrationAnswer
from .category_level import CategoryLevel
from .category_summary_answer import CategorySummaryAnswer
from .change_direction import ChangeDirection
from .change_method import ChangeMethod
from .child_category import ChildCategory
from .classify_answer import ClassifyAnswer
from .classify_candidate import ClassifyCandidate
from .classify_result import ClassifyResult
from .compared_bands import ComparedBands
from .competitive_landscape_answer import CompetitiveLandscapeAnswer
from .concentration_by import ConcentrationBy
from .concentration_thresholds import ConcentrationThresholds
from .condition import Condition
from .condition_counts import ConditionCounts
from .country import Country
from .country_stats import CountryStats
from .coverage_answer import CoverageAnswer
from .coverage_cell import CoverageCell
from .cross_retailer_spread import CrossRetailerSpread
from .deal_finder_answer import DealFinderAnswer
from .deal_item import DealItem
from .forms_details import FormsDetails
from .fragmentation import Fragmentation
from .freshness_summary import FreshnessSummary
from .get_best_price_linking import GetBestPriceLinking
from .get_competitive_landscape_sort import GetCompetitiveLandscapeSort
from .get_deal_finder_sort import GetDealFinderSort
from .get_openapi_response_200 import GetOpenapiResponse200
from .get_price_change_leaders_win import GetPriceChangeLeadersWin
from .get_price_drop_alert_win import GetPriceDropAlertWin
from .get_price_history_change_window_days import GetPriceHistoryChangeWindowDays
from .get_price_history_win import GetPriceHistoryWin
from .get_price_index_granularity import GetPriceIndexGranularity
from .gpc_level import GpcLevel
from .gpc_node import GpcNode
from .granularity import Granularity
from .histogram_bin import HistogramBin
from .index_contribution import IndexContribution
from .index_contributions import IndexContributions
from .index_method import IndexMethod
from .index_methods import IndexMethods
from .index_panel import IndexPanel
from .index_point import IndexPoint
from .index_splice import IndexSplice
from .inflation_answer import InflationAnswer
from .internal_error import InternalError
from .internal_problem import InternalProblem
from .invalid_params_error import InvalidParamsError
from .invalid_params_problem import InvalidParamsProblem
from .item_status import ItemStatus
from .label_share import LabelShare
from .likely_offer import LikelyOffer
from .linking_coverage import LinkingCoverage
from .linking_self_check import LinkingSelfCheck
from .listed_brand import ListedBrand
from .listed_category import ListedCategory
from .listed_retailer import ListedRetailer
from .listing_gpc import ListingGpc
from .listing_item import ListingItem
from .match_kind import MatchKind
from .match_source import MatchSource
from .match_type import MatchType
from .method_not_allowed_error import MethodNotAllowedError
from .method_not_allowed_problem import MethodNotAllowedProblem
from .methods_details import MethodsDetails
from .nearest_product import NearestProduct
from .no_details import NoDetails
from .no_results_details import NoResultsDetails
from .no_results_error import NoResultsError
from .no_results_problem import NoResultsProblem
from .no_results_reason import NoResultsReason
from .not_acceptable_error import NotAcceptableError
from .not_acceptable_problem import NotAcceptableProblem
from .not_found_error import NotFoundError
from .not_found_problem import NotFoundProblem
from .not_published_error import NotPublishedError
from .not_published_problem import NotPublishedProblem
from .note_reason import NoteReason
from .out_of_stock_item import OutOfStockItem
from .pack import Pack
from .pack_unit import PackUnit
from .parameters_details import ParametersDetails
from .payment_details import PaymentDetails
from .payment_in_progress_error import PaymentInProgressError
from .payment_in_progress_problem import PaymentInProgressProblem
from .payment_reason import PaymentReason
from .payment_required_error import PaymentRequiredError
from .payment_required_problem import PaymentRequiredProblem
from .positioning_subject import PositioningSubject
from .price_band import PriceBand
from .price_band_example import PriceBandExample
from .price_bands_answer import PriceBandsAnswer
from .price_block import PriceBlock
from .price_change_item import PriceChangeItem
from .price_change_leaders_answer import PriceChangeLeadersAnswer
from .price_dispersion_answer import PriceDispersionAnswer
from .price_drop import PriceDrop
from .price_drop_alert_answer import PriceDropAlertAnswer
from .price_history_answer import PriceHistoryAnswer
from .price_index_answer import PriceIndexAnswer
from .price_index_point import PriceIndexPoint
from .price_index_status import PriceIndexStatus
from .price_percentiles import PricePercentiles
from .price_point import PricePoint
from .price_positioning_answer import PricePositioningAnswer
from .price_range import PriceRange
from .price_tier import PriceTier
from .price_trend import PriceTrend
from .product_offer import ProductOffer
from .product_scope import ProductScope
from .promo_figures import PromoFigures
from .promo_intelligence_answer import PromoIntelligenceAnswer
from .promo_row import PromoRow
from .promo_summary import PromoSummary
from .quality_status import QualityStatus
from .query_reading import QueryReading
from .quote import Quote
from .quoted_alternate import QuotedAlternate
from .quoted_category import QuotedCategory
from .quoted_code import QuotedCode
from .quoted_items import QuotedItems
from .quoted_price import QuotedPrice
from .quoted_product import QuotedProduct
from .rail_offer import RailOffer
from .rate_limited_error import RateLimitedError
from .rate_limited_problem import RateLimitedProblem
from .related_offer import RelatedOffer
from .resolved_category import ResolvedCategory
from .resolved_product import ResolvedProduct
from .retailer_assortment_answer import RetailerAssortmentAnswer
from .retailer_basket import RetailerBasket
from .retailer_details import RetailerDetails
from .retailer_index_answer import RetailerIndexAnswer
from .retailer_not_serving_eligible_error import RetailerNotServingEligibleError
from .retailer_not_serving_eligible_problem import RetailerNotServingEligibleProblem
from .retailer_share import RetailerShare
from .retailers_answer import RetailersAnswer
from .retry_details import RetryDetails
from .series_summary import SeriesSummary
from .settled_details import SettledDetails
from .share_of_shelf_answer import ShareOfShelfAnswer
from .shared_basket import SharedBasket
from .stats_answer import StatsAnswer
from .stock_summary import StockSummary
from .suspect_reason import SuspectReason
from .target_details import TargetDetails
from .term_correction import TermCorrection
from .tier_share import TierShare
from .time_window import TimeWindow
from .unavailable_error import UnavailableError
from .unavailable_problem import UnavailableProblem
from .unit_price import UnitPrice
from .unit_price_basis import UnitPriceBasis
from .unit_price_position import UnitPricePosition
from .uri_too_long_error import UriTooLongError
from .uri_too_long_problem import UriTooLongProblem
from .withheld_note import WithheldNote

__all__ = (
    "AggregateBy",
    "AlternateCategory",
    "AnswerExpiredError",
    "AnswerExpiredProblem",
    "AnswerMeta",
    "AnswerWindow",
    "AssortmentChange",
    "AssortmentChurn",
    "AssortmentGap",
    "AssortmentPeer",
    "Availability",
    "AvailabilityBy",
    "AvailabilityIndexAnswer",
    "AvailabilityRow",
    "BadParameter",
    "BasketAnswer",
    "BasketItem",
    "BasketOffer",
    "BasketPoint",
    "BestOffer",
    "BestPriceAnswer",
    "BestPriceRow",
    "BestPricesAnswer",
    "BrandAtRetailer",
    "BrandBreakdownAnswer",
    "BrandCategory",
    "BrandInCategory",
    "BrandRetailer",
    "BrandsAnswer",
    "BrandShare",
    "BrandTrackerAnswer",
    "BrickAttribute",
    "BrickAttributesAnswer",
    "BrickMapping",
    "BrickSchema",
    "CategoriesAnswer",
    "CategoryConcentrationAnswer",
    "CategoryLevel",
    "CategorySummaryAnswer",
    "ChangeDirection",
    "ChangeMethod",
    "ChildCategory",
    "ClassifyAnswer",
    "ClassifyCandidate",
    "ClassifyResult",
    "ComparedBands",
    "CompetitiveLandscapeAnswer",
    "ConcentrationBy",
    "ConcentrationThresholds",
    "Condition",
    "ConditionCounts",
    "Country",
    "CountryStats",
    "CoverageAnswer",
    "CoverageCell",
    "CrossRetailerSpread",
    "DealFinderAnswer",
    "DealItem",
    "FormsDetails",
    "Fragmentation",
    "FreshnessSummary",
    "GetBestPriceLinking",
    "GetCompetitiveLandscapeSort",
    "GetDealFinderSort",
    "GetOpenapiResponse200",
    "GetPriceChangeLeadersWin",
    "GetPriceDropAlertWin",
    "GetPriceHistoryChangeWindowDays",
    "GetPriceHistoryWin",
    "GetPriceIndexGranularity",
    "GpcLevel",
    "GpcNode",
    "Granularity",
    "HistogramBin",
    "IndexContribution",
    "IndexContributions",
    "IndexMethod",
    "IndexMethods",
    "IndexPanel",
    "IndexPoint",
    "IndexSplice",
    "InflationAnswer",
    "InternalError",
    "InternalProblem",
    "InvalidParamsError",
    "InvalidParamsProblem",
    "ItemStatus",
    "LabelShare",
    "LikelyOffer",
    "LinkingCoverage",
    "LinkingSelfCheck",
    "ListedBrand",
    "ListedCategory",
    "ListedRetailer",
    "ListingGpc",
    "ListingItem",
    "MatchKind",
    "MatchSource",
    "MatchType",
    "MethodNotAllowedError",
    "MethodNotAllowedProblem",
    "MethodsDetails",
    "NearestProduct",
    "NoDetails",
    "NoResultsDetails",
    "NoResultsError",
    "NoResultsProblem",
    "NoResultsReason",
    "NotAcceptableError",
    "NotAcceptableProblem",
    "NoteReason",
    "NotFoundError",
    "NotFoundProblem",
    "NotPublishedError",
    "NotPublishedProblem",
    "OutOfStockItem",
    "Pack",
    "PackUnit",
    "ParametersDetails",
    "PaymentDetails",
    "PaymentInProgressError",
    "PaymentInProgressProblem",
    "PaymentReason",
    "PaymentRequiredError",
    "PaymentRequiredProblem",
    "PositioningSubject",
    "PriceBand",
    "PriceBandExample",
    "PriceBandsAnswer",
    "PriceBlock",
    "PriceChangeItem",
    "PriceChangeLeadersAnswer",
    "PriceDispersionAnswer",
    "PriceDrop",
    "PriceDropAlertAnswer",
    "PriceHistoryAnswer",
    "PriceIndexAnswer",
    "PriceIndexPoint",
    "PriceIndexStatus",
    "PricePercentiles",
    "PricePoint",
    "PricePositioningAnswer",
    "PriceRange",
    "PriceTier",
    "PriceTrend",
    "ProductOffer",
    "ProductScope",
    "PromoFigures",
    "PromoIntelligenceAnswer",
    "PromoRow",
    "PromoSummary",
    "QualityStatus",
    "QueryReading",
    "Quote",
    "QuotedAlternate",
    "QuotedCategory",
    "QuotedCode",
    "QuotedItems",
    "QuotedPrice",
    "QuotedProduct",
    "RailOffer",
    "RateLimitedError",
    "RateLimitedProblem",
    "RelatedOffer",
    "ResolvedCategory",
    "ResolvedProduct",
    "RetailerAssortmentAnswer",
    "RetailerBasket",
    "RetailerDetails",
    "RetailerIndexAnswer",
    "RetailerNotServingEligibleError",
    "RetailerNotServingEligibleProblem",
    "RetailersAnswer",
    "RetailerShare",
    "RetryDetails",
    "SeriesSummary",
    "SettledDetails",
    "SharedBasket",
    "ShareOfShelfAnswer",
    "StatsAnswer",
    "StockSummary",
    "SuspectReason",
    "TargetDetails",
    "TermCorrection",
    "TierShare",
    "TimeWindow",
    "UnavailableError",
    "UnavailableProblem",
    "UnitPrice",
    "UnitPriceBasis",
    "UnitPricePosition",
    "UriTooLongError",
    "UriTooLongProblem",
    "WithheldNote",
)
