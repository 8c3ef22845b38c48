"""Pays for an answer with x402: pip install -r requirements.txt ../../../ops/clients/out/python && python pay.py

A new key is enough for a server in sandbox mode, which does not settle payments. For payments in real money, PAYER_KEY
is the key of an account that holds USDC, and NETWORK its chain (eip155:8453 is Base).
"""

import asyncio
import os

from eth_account import Account
from x402 import x402Client
from x402.http.clients.httpx import x402AsyncTransport
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact import ExactEvmScheme

from pricebook_client import Client
from pricebook_client.api.shopper import get_best_price
from pricebook_client.models import BestPriceAnswer


async def main() -> None:
    key = os.environ.get("PAYER_KEY")
    account = Account.from_key(key) if key else Account.create()
    payer = x402Client()
    payer.register(os.environ.get("NETWORK", "eip155:84532"), ExactEvmScheme(signer=EthAccountSigner(account)))
    url = os.environ.get("PRICEBOOK_URL", "http://127.0.0.1:8080")
    client = Client(url, httpx_args={"transport": x402AsyncTransport(payer)})
    paid = await get_best_price.asyncio_detailed(client=client, q="tofu", country="ca")
    if not isinstance(paid.parsed, BestPriceAnswer):
        raise SystemExit(f"{paid.status_code}: {paid.parsed}")
    best = paid.parsed.best_price
    print(best.product_name, best.price, best.retailer)
    print("receipt", paid.headers["payment-response"])


asyncio.run(main())
