//! Prompts: common jobs, told to a model as the calls that do them.

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role,
};

/// A job.
struct Job {
    name: &'static str,
    about: &'static str,
    /// Name, meaning, and what is taken where it is not given; `None` where it must be.
    arguments: &'static [(&'static str, &'static str, Option<&'static str>)],
    /// What the model is told; `{name}` stands for an argument.
    text: &'static str,
}

const COUNTRY: (&str, &str, Option<&str>) = ("country", "us or ca", Some("us"));

const JOBS: [Job; 4] = [
    Job {
        name: "find_cheapest",
        about: "Find the cheapest place to buy a product.",
        arguments: &[("product", "What to buy: a text or a barcode.", None), COUNTRY],
        text: "Find where \"{product}\" is cheapest. Call best_price with q=\"{product}\" and country={country}. Check \
               that resolved_product is what was meant, especially where match_quality is below 0.6; if it is not, ask \
               again with more exact words, or with the product_uid of one of related_matches. If the request is refused \
               as unknown_product, the catalog does not have it: say so, and name what nearest and suggestions hold. If \
               retailers_compared is 1, ask once more with linking=likely and say that such offers are likely the same \
               product, not surely. Report retailer, price with currency, pack and unit price, what the other retailers \
               ask, and the day the price was seen. Null means not known.",
    },
    Job {
        name: "track_basket",
        about: "Track what a basket of products costs and what has become cheaper.",
        arguments: &[("products", "The products, separated by semicolons.", None), COUNTRY],
        text: "Track this basket: {products}. For each product call best_price with country={country} and limit=1, and \
               keep its product_uid. Then call price_drop_alert with each product_uid, country={country} and win=30. \
               Report a table of product, retailer, price, and drop over 30 days, and the sum of the prices. Leave out of \
               the sum what was not found, and say so.",
    },
    Job {
        name: "category_inflation",
        about: "Report how the prices of a category changed.",
        arguments: &[
            ("category", "The category, in everyday words.", None),
            COUNTRY,
            ("time_window", "A window as the tool inflation names it.", Some("last_90_days")),
        ],
        text: "Report how the prices of \"{category}\" changed. Call inflation with category=\"{category}\", \
               country={country}, time_window={time_window} and granularity=monthly. Check in resolved which category it \
               was taken for. Use lfl_change_pct with its interval and the numbers of products that rose and fell; never \
               naive_overall_change_pct, which moves with the assortment. If lfl_change_pct is null, say why (lfl_note) \
               and ask with the window of lfl_try if there is one. What the figure means stands in \
               pricebook://methodology/inflation-like-for-like.",
    },
    Job {
        name: "compare_brand",
        about: "Compare a brand's prices across retailers.",
        arguments: &[
            ("brand", "The brand.", None),
            ("category", "A category that the brand is strong in, in everyday words.", None),
            COUNTRY,
        ],
        text: "Compare the brand \"{brand}\" in \"{category}\" across retailers. Call brands with q=\"{brand}\" and \
               country={country} for its spelling. Call brand_tracker with that brand, category=\"{category}\" and \
               country={country} for products, share of shelf, prices and promotions. Call retailers with \
               country={country}, and then share_of_shelf with category=\"{category}\" and each retailer that is serving \
               eligible, for the brand's share there. Report one row per retailer, and which one is dear or cheap for \
               the brand.",
    },
];

/// The prompts as they are listed.
pub(super) fn list() -> Vec<Prompt> {
    let argument = |&(name, about, fallback): &(&str, &str, Option<&str>)| {
        PromptArgument::new(name).with_description(about).with_required(fallback.is_none())
    };
    let prompt = |job: &Job| {
        Prompt::new(job.name, Some(job.about), Some(job.arguments.iter().map(argument).collect()))
    };
    JOBS.iter().map(prompt).collect()
}

/// A prompt with its arguments filled in.
///
/// # Errors
/// When there is no such prompt, or an argument is missing.
pub(super) fn get(asked: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let job = JOBS.iter().find(|job| job.name == asked.name).ok_or_else(|| {
        let known: Vec<&str> = JOBS.iter().map(|job| job.name).collect();
        ErrorData::invalid_params(format!("No such prompt; there are {}.", known.join(", ")), None)
    })?;
    let nothing = JsonObject::new();
    let given = asked.arguments.as_ref().unwrap_or(&nothing);
    let mut text = job.text.to_owned();
    for &(name, _, fallback) in job.arguments {
        let value = given.get(name).and_then(|value| value.as_str()).filter(|value| !value.is_empty());
        let value = value.or(fallback).ok_or_else(|| {
            ErrorData::invalid_params(format!("The prompt {} needs {name}.", job.name), None)
        })?;
        text = text.replace(&format!("{{{name}}}"), value);
    }
    let messages = vec![PromptMessage::new_text(Role::User, text)];
    Ok(GetPromptResult::new(messages).with_description(job.about))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints;
    use crate::mcp::Toolbox;
    use crate::payment::core::prices::Prices;

    #[test]
    fn a_prompt_names_what_it_takes_and_tools_that_there_are() {
        let toolbox = Toolbox::new(&endpoints::routes(), &Prices::DEFAULT).expect("tools");
        for job in JOBS {
            for (name, _, _) in job.arguments {
                assert!(job.text.contains(&format!("{{{name}}}")), "{}: {name}", job.name);
            }
            let called =
                job.text.split("all ").skip(1).filter_map(|rest| rest.split_once(' ')).map(|(tool, _)| tool);
            for tool in called.filter(|word| *word != "with") {
                assert!(toolbox.definitions().any(|known| known.name == tool), "{}: {tool}", job.name);
            }
        }
    }
}
