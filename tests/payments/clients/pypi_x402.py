"""PyPI x402: x402 on Base. Pays TARGET with the account of KEY and prints one JSON line."""

import asyncio
import base64
import json
import os

import httpx
from eth_account import Account
from x402 import x402Client
from x402.http.clients.httpx import x402AsyncTransport
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact import ExactEvmScheme

TIMEOUT_S = 60


async def main():
    client = x402Client()
    signer = EthAccountSigner(Account.from_key(os.environ["KEY"]))
    client.register("eip155:8453", ExactEvmScheme(signer=signer))
    async with httpx.AsyncClient(transport=x402AsyncTransport(client), timeout=TIMEOUT_S) as http:
        response = await http.get(os.environ["TARGET"])
    receipt = response.headers.get("payment-response")
    decoded = json.loads(base64.b64decode(receipt)) if receipt else None
    print(json.dumps({"status": response.status_code, "receipt": decoded, "body": response.text[:300]}))


asyncio.run(main())
