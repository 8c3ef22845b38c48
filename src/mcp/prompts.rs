//! Prompts: common tasks, described to a model as the calls that perform them.

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role,
};

/// A task.
struct Job {
    name: &'static str,
    about: &'static str,
    /// Name, meaning and default of each argument. The default is `None` for a required argument.
    arguments: &'static [(&'static str, &'static str, Option<&'static str>)],
    /// Text for the model. `{name}` is replaced by the argument.
    text: &'static str,
}

const COUNTRY: (&str, &str, Option<&str>) = ("country", "us or ca", Some("us"));

const JOBS: [Job; 4] = [
    Job {
        name: "find_cheapest",
        about: "Find the cheapest place to buy a product.",
        arguments: &[("product", "What to buy: a text or a barcode.", None), COUNTRY],
        text: "Find where \"{product}\" is cheapest. Call best_price with q=\"{product}\" and country={country}. Check \
               that resolved_product is the intended product, especially if match_quality is below 0.6; if it is not, \
               repeat the request with more exact words, or with the product_uid of one of related_matches. If the \
               request is refused as unknown_product, the catalog does not have the product: say so, and report the \
               values of nearest and suggestions. If retailers_compared is 1, repeat the request with linking=likely \
               and say that such offers are probably, but not certainly, the same product. Report retailer, price with \
               currency, pack and unit price, the prices of the other retailers, and the day the price was seen. Null \
               means unknown.",
    },
    Job {
        name: "track_basket",
        about: "Track the cost of a basket of products and its price drops.",
        arguments: &[("products", "The products, separated by semicolons.", None), COUNTRY],
        text: "Track this basket: {products}. For each product call best_price with country={country} and limit=1, and \
               keep its product_uid. Then call price_drop_alert with each product_uid, country={country} and win=30. \
               Report a table of product, retailer, price, and drop over 30 days, and the sum of the prices. Leave \
               products that were not found out of the sum, and say so.",
    },
    Job {
        name: "category_inflation",
        about: "Report how the prices of a category changed.",
        arguments: &[
            ("category", "The category, in everyday words.", None),
            COUNTRY,
            ("time_window", "A time window of the tool inflation.", Some("last_90_days")),
        ],
        text: "Report how the prices of \"{category}\" changed. Call inflation with category=\"{category}\", \
               country={country}, time_window={time_window} and granularity=monthly. Check in resolved which category \
               was used. Use lfl_change_pct with its interval and the numbers of products that rose and fell; never \
               use naive_overall_change_pct, which changes with the assortment. If lfl_change_pct is null, report the \
               reason (lfl_note), and repeat the request with the window of lfl_try if there is one. The figure is \
               defined in pricebook://methodology/inflation-like-for-like.",
    },
    Job {
        name: "compare_brand",
        about: "Compare a brand's prices across retailers.",
        arguments: &[
            ("brand", "The brand.", None),
            ("category", "A category with many products of the brand, in everyday words.", None),
            COUNTRY,
        ],
        text: "Compare the brand \"{brand}\" in \"{category}\" across retailers. Call brands with q=\"{brand}\" and \
               country={country} for its spelling. Call brand_tracker with that brand, category=\"{category}\" and \
               country={country} for products, share of shelf, prices and promotions. Call retailers with \
               country={country}, and then share_of_shelf with category=\"{category}\" and each retailer that is \
               serving eligible, for the brand's share there. Report one row per retailer, and say which retailers are \
               expensive or cheap for the brand.",
    },
];

/// The prompts as entries of `prompts/list`.
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
/// Returns an error if the prompt does not exist, or an argument is missing.
pub(super) fn get(asked: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let job = JOBS.iter().find(|job| job.name == asked.name).ok_or_else(|| {
        let known: Vec<&str> = JOBS.iter().map(|job| job.name).collect();
        ErrorData::invalid_params(format!("Unknown prompt; the prompts are {}.", known.join(", ")), None)
    })?;
    let nothing = JsonObject::new();
    let given = asked.arguments.as_ref().unwrap_or(&nothing);
    let mut text = job.text.to_owned();
    for &(name, _, fallback) in job.arguments {
        let value = given.get(name).and_then(|value| value.as_str()).filter(|value| !value.is_empty());
        let value = value.or(fallback).ok_or_else(|| {
            ErrorData::invalid_params(format!("The prompt {} requires the argument {name}.", job.name), None)
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
