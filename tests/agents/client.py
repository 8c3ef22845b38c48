"""Agents in the SDK of PyPI: over HTTP and standard input and output, and paying by x402.

    client.py http URL        a server that asks for no payment
    client.py stdio COMMAND   the same program, on its standard input and output
    client.py pay URL         a server that takes test money
    client.py questions URL   ten shopping questions, and how many tokens they take
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

ASKED = {"q": "sweet baby rays barbecue sauce", "country": "ca"}
TOOLS_MIN = 17
SANDBOX = "eip155:84532"
# What a fresh agent has for ten questions, all texts that it reads included; a token is taken for four bytes.
TOKENS_MAX = 30_000
BYTES_PER_TOKEN = 4

# What a shopper asks, and the calls that answer it.
QUESTIONS = [
    ("Where is Sweet Baby Ray's barbecue sauce cheapest in Canada?", [("best_price", ASKED)]),
    (
        "Is becel plant butter getting cheaper?",
        [("price_history", {"q": "becel plant butter salted", "country": "ca", "lookback_days": 60})],
    ),
    (
        "What are real deals on food in Canada now?",
        [("deal_finder", {"category": "food", "country": "ca", "sort": "verified_pct"})],
    ),
    ("What is the cheapest computer memory?", [("competitive_landscape", {"category": "memory"})]),
    ("Which brands have the most memory on offer?", [("share_of_shelf", {"category": "memory"})]),
    (
        "Has that barbecue sauce fallen below 4 dollars?",
        [("price_drop_alert", {**ASKED, "threshold_pct": 1, "target_price": 4})],
    ),
    (
        "Is Loblaws dear for food?",
        [
            ("retailers", {"country": "ca"}),
            ("retailer_index", {"retailer": "loblaws", "category": "food", "country": "ca"}),
        ],
    ),
    (
        "How much did food prices rise in Canada?",
        [("inflation", {"category": "food", "country": "ca", "time_window": "last_90_days", "granularity": "monthly"})],
    ),
    ("What does a premium wine cost?", [("price_bands", {"node": "wine", "country": "ca"})]),
    (
        "Where do I get ketchup, and what else is like it?",
        [("best_price", {"q": "ketchp", "country": "ca"}), ("categories", {"country": "ca"})],
    ),
]


@asynccontextmanager
async def over_http(url):
    async with streamablehttp_client(f"{url}/mcp") as (read, write, _):
        async with ClientSession(read, write) as session:
            yield session, await session.initialize()


@asynccontextmanager
async def on_stdio(command, *args):
    async with stdio_client(StdioServerParameters(command=command, args=list(args))) as (read, write):
        async with ClientSession(read, write) as session:
            yield session, await session.initialize()


async def asks(connection):
    async with connection as (session, begun):
        assert begun.serverInfo.name == "pricebook"
        tools = (await session.list_tools()).tools
        assert len(tools) >= TOOLS_MIN
        assert all(tool.description.startswith("Price: ") for tool in tools)
        result = await session.call_tool("best_price", ASKED)
        assert not result.isError, result.content[0].text
        assert json.loads(result.content[0].text)["best_price"]["price"] > 0
        refused = await session.call_tool("best_price", {})
        assert refused.isError and refused.content[0].text.startswith("INVALID_PARAMS: ")
        prompts = (await session.list_prompts()).prompts
        prompt = await session.get_prompt(prompts[0].name, {"product": "tea"})
        assert "tea" in prompt.messages[0].content.text
        resources = (await session.list_resources()).resources
        assert (await session.read_resource(resources[0].uri)).contents[0].text


async def pays(url):
    from eth_account import Account
    from x402 import x402Client
    from x402.mcp import x402MCPSession
    from x402.mechanisms.evm import EthAccountSigner
    from x402.mechanisms.evm.exact import ExactEvmScheme

    payer = x402Client()
    payer.register(SANDBOX, ExactEvmScheme(signer=EthAccountSigner(Account.create())))
    async with over_http(url) as (session, _):
        result = await x402MCPSession(session, payer).call_tool("best_price", ASKED)
        assert not result.is_error, result.content
        assert result.payment_made and result.payment_response.success


async def questions(url):
    async with over_http(url) as (session, begun):
        listed = await session.list_tools()
        read = len(listed.model_dump_json(exclude_none=True, by_alias=True)) + len(begun.instructions)
        print(f"{read // BYTES_PER_TOKEN:>7} tokens: instructions and {len(listed.tools)} tools")
        for question, calls in QUESTIONS:
            taken = len(question)
            for name, arguments in calls:
                result = await session.call_tool(name, arguments)
                texts = [content.text for content in result.content]
                assert not result.isError, f"{name} {arguments}: {texts[0]}"
                taken += len(json.dumps(arguments)) + len(name) + sum(len(text.encode()) for text in texts)
            print(f"{taken // BYTES_PER_TOKEN:>7} tokens: {question}")
            read += taken
        tokens = read // BYTES_PER_TOKEN
        print(f"{tokens:>7} tokens in all, of {TOKENS_MAX}")
        assert tokens < TOKENS_MAX


async def main(mode, place, *args):
    if mode == "http":
        await asks(over_http(place))
        print("passed: PyPI mcp over HTTP")
    elif mode == "stdio":
        await asks(on_stdio(place, *args))
        print("passed: PyPI mcp on standard input and output")
    elif mode == "pay":
        await pays(place)
        print("passed: PyPI x402 pays")
    else:
        await questions(place)
        print("passed: ten questions")


asyncio.run(main(*sys.argv[1:]))
