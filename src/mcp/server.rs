//! Answers messages: server information, tools, prompts, resources, and calls of tools.

use std::sync::Arc;

use hyper::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, GetPromptRequestParams, GetPromptResponse,
    Implementation, InitializeResult, JsonObject, ListPromptsResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourceContents, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::result::{self, ToolCall};
use super::tools::{RouteTool, Toolbox};
use super::{methodology, prompts};
use crate::payment::Mode;
use crate::payment::protocols::mcp;
use crate::server::nested_service::Caller;
use crate::server::{Shared, TARGET_BYTES_MAX};

/// Instructions that a model reads before it sees the tools.
const ABOUT: &str = "Prices of products at online retailers in the United States (country=us, the default) and Canada \
                     (country=ca), from a snapshot; meta.snapshot_id begins with its date. The free tools categories, \
                     brands, retailers and coverage list the names that other tools accept; text in everyday English \
                     or French is accepted too. Answers are JSON; null means unknown, never 0. A second text with \
                     suggested_next_calls may follow. Calls return few rows unless limit asks for more. A refused call \
                     is not charged.";

/// Answers messages. Clones share one server.
#[derive(Clone)]
pub struct McpServer(Arc<Desk>);

struct Desk {
    shared: Arc<Shared>,
    tools: Toolbox,
    config: ServerConfig,
    /// The caller of messages over standard input; `None` over HTTP, where each message has its own caller.
    caller: Option<Caller>,
}

impl McpServer {
    /// Makes a server for messages over HTTP. Each message comes with its caller.
    ///
    /// # Errors
    /// Returns an error if the tools cannot be serialized, which cannot happen with their types.
    pub fn new(shared: Arc<Shared>) -> serde_json::Result<Self> {
        Self::for_caller(shared, None)
    }

    /// Makes a server for the messages that one program on this machine sends over standard input.
    ///
    /// # Errors
    /// Returns an error if the tools cannot be serialized, which cannot happen with their types.
    pub fn here(shared: Arc<Shared>) -> serde_json::Result<Self> {
        Self::for_caller(shared, Some(Caller::here()))
    }

    fn for_caller(shared: Arc<Shared>, caller: Option<Caller>) -> serde_json::Result<Self> {
        let tools = Toolbox::new(&shared.routes, &shared.prices)?;
        let can = ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources().build();
        let config = InitializeResult::new(can)
            .with_server_info(Implementation::new("pricebook", env!("CARGO_PKG_VERSION")))
            .with_instructions(format!("{ABOUT} {}", paying(shared.payments)));
        Ok(Self(Arc::new(Desk { shared, tools, config, caller })))
    }

    /// Calls the route of a tool.
    async fn ask(
        &self,
        tool: &RouteTool,
        arguments: &JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let Desk { shared, caller, .. } = &*self.0;
        let sent = context.extensions.get::<Parts>().and_then(|head| head.extensions.get::<Caller>());
        let caller = sent.or(caller.as_ref());
        let caller = caller.ok_or_else(|| ErrorData::internal_error("The caller is not known.", None))?;
        let target = match tool.target(arguments) {
            Ok(target) => target,
            Err(name) => {
                let sentence = format!(
                    "INVALID_PARAMS: {name} must be a string, a list of strings, a number or a boolean."
                );
                return Ok(result::error(sentence));
            }
        };
        if target.len() > TARGET_BYTES_MAX {
            let sentence = format!(
                "URI_TOO_LONG: The arguments make a request of {} bytes, more than {TARGET_BYTES_MAX}. Shorten them.",
                target.len()
            );
            return Ok(result::error(sentence));
        }
        let payment = mcp::fields(context.meta.get(mcp::X402_PAYMENT), &*context.meta);
        let response = tokio::select! {
            response = shared.ask(caller, &target, payment) => response,
            // A client that has gone is not answered and not charged.
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("The call was cancelled.", None)),
        };
        let response = response
            .map_err(|_| ErrorData::internal_error("The call cannot be sent as an HTTP request.", None))?;
        Ok(result::of_response(&response, &ToolCall { route: tool.route, arguments }))
    }
}

/// Instructions on payments for a model.
fn paying(mode: Mode) -> &'static str {
    match mode {
        Mode::Off => "Payments are off at this server: tools are free, whatever price they state.",
        Mode::Sandbox => {
            "Paid tools are paid with test money by x402 or MPP in _meta of the call. The client pays, not the model."
        }
        Mode::Live => {
            "Paid tools are paid by x402 or MPP in _meta of the call. The client pays real money: call them only if \
             necessary."
        }
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        self.0.config.clone()
    }

    async fn on_initialized(&self, _: NotificationContext<RoleServer>) {}

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.0.tools.definitions().cloned().collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        Some(self.0.tools.find(name)?.definition.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.0.tools.find(&request.name).ok_or_else(|| {
            let known: Vec<&str> = self.0.tools.definitions().map(|tool| &*tool.name).collect();
            ErrorData::invalid_params(format!("Unknown tool; the tools are {}.", known.join(", ")), None)
        })?;
        // A model that fills in every argument sends null or an empty text for arguments without a value.
        let mut arguments = request.arguments.unwrap_or_default();
        arguments.retain(|_, value| !value.is_null() && value != "");
        Ok(self.ask(tool, &arguments, &context).await?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(prompts::get(&request)?.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(methodology::list()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let part = methodology::find(&request.uri).ok_or_else(|| {
            ErrorData::resource_not_found("Unknown resource; resources/list returns the resources.", None)
        })?;
        let contents = ResourceContents::text(part.text, &*part.uri).with_mime_type(methodology::MARKDOWN);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}
