"""Contains all the data models used in inputs/outputs"""

from .aggregate_by import AggregateBy
from .alternate_category import AlternateCategory
from .answer_expired_error import AnswerExpiredError
from .answer_expired_problem import AnswerExpiredProblem
from .answer_meta import AnswerMeta
from .answer_window import AnswerWindow
from .bad_parameter import BadParameter
from .basket_point import BasketPoint
from .best_offer import BestOffer
from .best_price_answer import BestPriceAnswer
from .brand_category import BrandCategory
from .brand_retailer import BrandRetailer
from .brand_share import BrandShare
from .brand_tracker_answer import BrandTrackerAnswer
from .brands_answer import BrandsAnswer
from .brick_attribute import BrickAttribute
from .brick_attributes_answer import BrickAttributesAnswer
from .brick_mapping import BrickMapping
from .brick_schema import BrickSchema
from .categories_answer import CategoriesAnswer
from .category_level import CategoryLevel
from .change_method import ChangeMethod
from .classify_answer import ClassifyAnswer
from .classify_candidate import ClassifyCandidate
from .classify_result import ClassifyResult
from .competitive_landscape_answer import CompetitiveLandscapeAnswer
from .condition import Condition
from .country import Country
from .coverage_answer import CoverageAnswer
from .coverage_cell import CoverageCell
from .cross_retailer_spread import CrossRetailerSpread
from .deal_finder_answer import DealFinderAnswer
from .deal_item import DealItem
from .forms_details import FormsDetails
from .get_best_price_linking import GetBestPriceLinking
from .get_competitive_landscape_sort import GetCompetitiveLandscapeSort
from .get_deal_finder_sort import GetDealFinderSort
from .get_openapi_response_200 import GetOpenapiResponse200
from .get_price_drop_alert_win import GetPriceDropAlertWin
from .get_price_history_change_window_days import GetPriceHistoryChangeWindowDays
from .get_price_history_win import GetPriceHistoryWin
from .gpc_level import GpcLevel
from .gpc_node import GpcNode
from .granularity import Granularity
from .histogram_bin import HistogramBin
from .index_point import IndexPoint
from .inflation_answer import InflationAnswer
from .internal_error import InternalError
from .internal_problem import InternalProblem
from .invalid_params_error import InvalidParamsError
from .invalid_params_problem import InvalidParamsProblem
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
from .pack import Pack
from .pack_unit import PackUnit
from .parameters_details import ParametersDetails
from .payment_details import PaymentDetails
from .payment_in_progress_error import PaymentInProgressError
from .payment_in_progress_problem import PaymentInProgressProblem
from .payment_reason import PaymentReason
from .payment_required_error import PaymentRequiredError
from .payment_required_problem import PaymentRequiredProblem
from .price_band import PriceBand
from .price_band_example import PriceBandExample
from .price_bands_answer import PriceBandsAnswer
from .price_dispersion_answer import PriceDispersionAnswer
from .price_drop import PriceDrop
from .price_drop_alert_answer import PriceDropAlertAnswer
from .price_history_answer import PriceHistoryAnswer
from .price_percentiles import PricePercentiles
from .price_point import PricePoint
from .price_range import PriceRange
from .price_tier import PriceTier
from .price_trend import PriceTrend
from .product_offer import ProductOffer
from .product_scope import ProductScope
from .promo_figures import PromoFigures
from .promo_intelligence_answer import PromoIntelligenceAnswer
from .promo_row import PromoRow
from .quality_status import QualityStatus
from .quote import Quote
from .quoted_alternate import QuotedAlternate
from .quoted_category import QuotedCategory
from .quoted_code import QuotedCode
from .quoted_price import QuotedPrice
from .quoted_product import QuotedProduct
from .rail_offer import RailOffer
from .rate_limited_error import RateLimitedError
from .rate_limited_problem import RateLimitedProblem
from .related_offer import RelatedOffer
from .resolved_category import ResolvedCategory
from .resolved_product import ResolvedProduct
from .retailer_details import RetailerDetails
from .retailer_index_answer import RetailerIndexAnswer
from .retailer_not_serving_eligible_error import RetailerNotServingEligibleError
from .retailer_not_serving_eligible_problem import RetailerNotServingEligibleProblem
from .retailers_answer import RetailersAnswer
from .retry_details import RetryDetails
from .series_summary import SeriesSummary
from .settled_details import SettledDetails
from .share_of_shelf_answer import ShareOfShelfAnswer
from .suspect_reason import SuspectReason
from .target_details import TargetDetails
from .term_correction import TermCorrection
from .time_window import TimeWindow
from .unavailable_error import UnavailableError
from .unavailable_problem import UnavailableProblem
from .unit_price import UnitPrice
from .unit_price_basis import UnitPriceBasis
from .uri_too_long_error import UriTooLongError
from .uri_too_long_problem import UriTooLongProblem

__all__ = (
    "AggregateBy",
    "AlternateCategory",
    "AnswerExpiredError",
    "AnswerExpiredProblem",
    "AnswerMeta",
    "AnswerWindow",
    "BadParameter",
    "BasketPoint",
    "BestOffer",
    "BestPriceAnswer",
    "BrandCategory",
    "BrandRetailer",
    "BrandsAnswer",
    "BrandShare",
    "BrandTrackerAnswer",
    "BrickAttribute",
    "BrickAttributesAnswer",
    "BrickMapping",
    "BrickSchema",
    "CategoriesAnswer",
    "CategoryLevel",
    "ChangeMethod",
    "ClassifyAnswer",
    "ClassifyCandidate",
    "ClassifyResult",
    "CompetitiveLandscapeAnswer",
    "Condition",
    "Country",
    "CoverageAnswer",
    "CoverageCell",
    "CrossRetailerSpread",
    "DealFinderAnswer",
    "DealItem",
    "FormsDetails",
    "GetBestPriceLinking",
    "GetCompetitiveLandscapeSort",
    "GetDealFinderSort",
    "GetOpenapiResponse200",
    "GetPriceDropAlertWin",
    "GetPriceHistoryChangeWindowDays",
    "GetPriceHistoryWin",
    "GpcLevel",
    "GpcNode",
    "Granularity",
    "HistogramBin",
    "IndexPoint",
    "InflationAnswer",
    "InternalError",
    "InternalProblem",
    "InvalidParamsError",
    "InvalidParamsProblem",
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
    "NoDetails",
    "NoResultsDetails",
    "NoResultsError",
    "NoResultsProblem",
    "NoResultsReason",
    "NotAcceptableError",
    "NotAcceptableProblem",
    "NotFoundError",
    "NotFoundProblem",
    "NotPublishedError",
    "NotPublishedProblem",
    "Pack",
    "PackUnit",
    "ParametersDetails",
    "PaymentDetails",
    "PaymentInProgressError",
    "PaymentInProgressProblem",
    "PaymentReason",
    "PaymentRequiredError",
    "PaymentRequiredProblem",
    "PriceBand",
    "PriceBandExample",
    "PriceBandsAnswer",
    "PriceDispersionAnswer",
    "PriceDrop",
    "PriceDropAlertAnswer",
    "PriceHistoryAnswer",
    "PricePercentiles",
    "PricePoint",
    "PriceRange",
    "PriceTier",
    "PriceTrend",
    "ProductOffer",
    "ProductScope",
    "PromoFigures",
    "PromoIntelligenceAnswer",
    "PromoRow",
    "QualityStatus",
    "Quote",
    "QuotedAlternate",
    "QuotedCategory",
    "QuotedCode",
    "QuotedPrice",
    "QuotedProduct",
    "RailOffer",
    "RateLimitedError",
    "RateLimitedProblem",
    "RelatedOffer",
    "ResolvedCategory",
    "ResolvedProduct",
    "RetailerDetails",
    "RetailerIndexAnswer",
    "RetailerNotServingEligibleError",
    "RetailerNotServingEligibleProblem",
    "RetailersAnswer",
    "RetryDetails",
    "SeriesSummary",
    "SettledDetails",
    "ShareOfShelfAnswer",
    "SuspectReason",
    "TargetDetails",
    "TermCorrection",
    "TimeWindow",
    "UnavailableError",
    "UnavailableProblem",
    "UnitPrice",
    "UnitPriceBasis",
    "UriTooLongError",
    "UriTooLongProblem",
)
