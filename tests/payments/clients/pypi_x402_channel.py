"""PyPI x402: x402 on Base over a payment channel, with the account of KEY. ORDER is that of x402_channel.mjs."""

import asyncio
import base64
import json
import os

import httpx
from eth_account import Account
from x402 import x402Client
from x402.http.clients.httpx import x402AsyncTransport
from x402.mechanisms.evm.batch_settlement.client import (
    BatchSettlementEvmScheme,
    BatchSettlementEvmSchemeOptions,
    FileChannelStorageOptions,
    FileClientChannelStorage,
    RefundOptions,
)
from x402.mechanisms.evm.exact import ExactEvmScheme
from x402.mechanisms.evm.signers import EthAccountSignerWithRPC

TIMEOUT_S = 60


async def pay(http, target):
    try:
        response = await http.get(target)
    except Exception as error:
        print(json.dumps({"error": repr(error)}))
        return
    receipt = response.headers.get("payment-response")
    decoded = json.loads(base64.b64decode(receipt)) if receipt else None
    print(json.dumps({"status": response.status_code, "receipt": decoded, "body": response.text[:300]}))


def refund(scheme, target, amount=None):
    try:
        settlement = scheme.refund(target, RefundOptions(amount=amount))
        print(json.dumps({"refund": settlement.model_dump(by_alias=True)}))
    except Exception as error:
        print(json.dumps({"error": str(error)}))


async def main(order):
    signer = EthAccountSignerWithRPC(Account.from_key(os.environ["KEY"]), rpc_url=os.environ["BASE_RPC"])
    state = order.get("state")
    storage = {"storage": FileClientChannelStorage(FileChannelStorageOptions(state))} if state else {}
    scheme = BatchSettlementEvmScheme(signer, BatchSettlementEvmSchemeOptions(salt=order["salt"], **storage))
    client = x402Client()
    if order.get("both"):
        client.register("eip155:8453", ExactEvmScheme(signer=signer))
    client.register("eip155:8453", scheme)
    async with httpx.AsyncClient(transport=x402AsyncTransport(client), timeout=TIMEOUT_S) as http:
        if order.get("parallel"):
            await asyncio.gather(*(pay(http, target) for target in order["targets"]))
        else:
            for target in order["targets"]:
                await pay(http, target)
    if order.get("refund"):
        refund(scheme, **order["refund"])


asyncio.run(main(json.loads(os.environ["ORDER"])))
