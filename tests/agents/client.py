"""Agents in the SDK of PyPI: over HTTP and standard input and output, and paying by x402.

    client.py http URL        a server that asks for no payment
    client.py stdio COMMAND   the same program, on its standard input and output
    client.py pay URL         a server that takes test money
    client.py questions URL   ten shopping questions, and how many tokens they take
"""

import asyncio
import json
import sys

from eth_account import Account
from mcp import Client, MCPError, StdioServerParameters
from x402 import x402Client
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact import ExactEvmScheme
from x402.schemas import PaymentRequired

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
        "Where do I get salmon, and what else is like it?",
        [("best_price", {"q": "salmn", "country": "ca"}), ("categories", {"country": "ca"})],
    ),
]


def over_http(url, mode="auto"):
    return Client(f"{url}/mcp", mode=mode)


def on_stdio(command, *args):
    return Client(StdioServerParameters(command=command, args=list(args)))


async def asks(connection):
    async with connection as client:
        assert client.server_info.name == "pricebook"
        tools = (await client.list_tools()).tools
        assert len(tools) >= TOOLS_MIN
        assert all(tool.description.startswith("Price: ") for tool in tools)
        result = await client.call_tool("best_price", ASKED)
        assert not result.is_error, result.content[0].text
        assert json.loads(result.content[0].text)["best_price"]["price"] > 0
        refused = await client.call_tool("best_price", {})
        assert refused.is_error and refused.content[0].text.startswith("INVALID_PARAMS: ")
        try:
            await client.call_tool("nothing", {})
            raise AssertionError("a tool that is not there was called")
        except MCPError as error:
            assert "Unknown tool" in str(error)
        prompts = (await client.list_prompts()).prompts
        prompt = await client.get_prompt(prompts[0].name, {"product": "tea"})
        assert "tea" in prompt.messages[0].content.text
        resources = (await client.list_resources()).resources
        assert (await client.read_resource(resources[0].uri)).contents[0].text


async def pays(url):
    payer = x402Client()
    payer.register(SANDBOX, ExactEvmScheme(signer=EthAccountSigner(Account.create())))
    async with over_http(url) as client:
        unpaid = await client.call_tool("best_price", ASKED)
        assert unpaid.is_error and json.loads(unpaid.content[0].text) == unpaid.structured_content
        required = PaymentRequired.model_validate(unpaid.structured_content)
        payment = await payer.create_payment_payload(required)
        meta = {"x402/payment": payment.model_dump(by_alias=True, mode="json")}
        paid = await client.call_tool("best_price", ASKED, meta=meta)
        assert not paid.is_error, paid.content
        assert json.loads(paid.content[0].text)["best_price"]["price"] > 0
        receipt = paid.meta["x402/payment-response"]
        assert receipt["success"] and receipt["network"] == SANDBOX
        again = await client.call_tool("best_price", ASKED, meta=meta)
        assert again.content[0].text == paid.content[0].text


async def questions(url):
    async with over_http(url) as client:
        listed = await client.list_tools()
        tools = [tool.model_dump(mode="json", exclude_none=True, by_alias=True) for tool in listed.tools]
        read = len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode()) + len(client.instructions)
        print(f"{read // BYTES_PER_TOKEN:>7} tokens: instructions and {len(listed.tools)} tools")
        for question, calls in QUESTIONS:
            taken = len(question)
            for name, arguments in calls:
                result = await client.call_tool(name, arguments)
                texts = [content.text for content in result.content]
                assert not result.is_error, f"{name} {arguments}: {texts[0]}"
                taken += len(json.dumps(arguments)) + len(name) + sum(len(text.encode()) for text in texts)
            print(f"{taken // BYTES_PER_TOKEN:>7} tokens: {question}")
            read += taken
        tokens = read // BYTES_PER_TOKEN
        print(f"{tokens:>7} tokens in all, of {TOKENS_MAX}")
        assert tokens < TOKENS_MAX


async def main(mode, place, *args):
    if mode == "http":
        for revision in ["auto", "legacy"]:
            await asks(over_http(place, revision))
            print(f"passed: PyPI mcp over HTTP ({revision})")
    elif mode == "stdio":
        await asks(on_stdio(place, *args))
        print("passed: PyPI mcp on standard input and output")
    elif mode == "pay":
        await pays(place)
        print("passed: PyPI mcp and x402 pay")
    else:
        await questions(place)
        print("passed: ten questions")


asyncio.run(main(*sys.argv[1:]))
