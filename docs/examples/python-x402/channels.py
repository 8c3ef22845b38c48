"""Pays for many answers on payment channels, each in one round trip: pip install -r requirements.txt && python channels.py

The first request of a channel fetches the terms and makes the deposit; each later request carries its voucher, signed
in advance. Requests on one channel are sequential, so the program uses a pool of channels. Their state is stored in
STATE, so that a restarted program continues with the same channels. A new key is enough for a server in sandbox mode
with channels. For payments in real money, PAYER_KEY is the key of an account that holds USDC, NETWORK its chain and
RPC_URL a node of that chain.
"""

import asyncio
import os
import time

import httpx
from eth_account import Account
from x402 import x402Client
from x402.http.x402_http_client import x402HTTPClient
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.batch_settlement.client import (
    BatchSettlementEvmScheme,
    BatchSettlementEvmSchemeOptions,
    FileChannelStorageOptions,
    FileClientChannelStorage,
)
from x402.mechanisms.evm.signers import EthAccountSignerWithRPC

URL = os.environ.get("PRICEBOOK_URL", "http://127.0.0.1:8080")
NETWORK = os.environ.get("NETWORK", "eip155:84532")
STATE = os.environ.get("STATE", "channels")


class Channel:
    """One channel. Its requests are sequential, because each voucher signs the total cost of those before it."""

    def __init__(self, signer, number: int, http: httpx.AsyncClient) -> None:
        storage = FileClientChannelStorage(FileChannelStorageOptions(STATE))
        options = BatchSettlementEvmSchemeOptions(salt=f"0x{number:064x}", storage=storage)
        self.scheme = BatchSettlementEvmScheme(signer, options)
        payer = x402Client()
        payer.register(NETWORK, self.scheme)
        self.payer = x402HTTPClient(payer)
        self.http = http
        self.offers = {}
        self.turn = asyncio.Lock()

    async def get(self, target: str) -> httpx.Response:
        """Sends a request after all earlier requests of this channel, and returns its answer."""
        async with self.turn:
            # One channel pays for all paths; the offer of each path is requested once.
            path = httpx.URL(target).path
            if path not in self.offers:
                asked = await self.http.get(target)
                if asked.status_code != 402:
                    return asked
                self.offers[path] = self.payer.get_payment_required_response(asked.headers.get)
            # A changed price or a channel that is out of sync causes one 402, whose values the client adopts.
            for _ in range(2):
                payment = await self.payer.create_payment_payload(self.offers[path])
                headers = self.payer.encode_payment_signature_header(payment)
                try:
                    answer = await self.http.get(target, headers=headers)
                except httpx.TransportError:
                    # A lost answer is requested again with the same voucher, and is not charged twice.
                    answer = await self.http.get(target, headers=headers)
                result = await self.payer.process_payment_result(payment, answer.headers.get, answer.status_code)
                if answer.status_code != 402:
                    break
                if not result.recovered:
                    # Other terms: the next request fetches the offer again.
                    del self.offers[path]
                    break
                self.offers[path] = self.payer.get_payment_required_response(answer.headers.get)
            return answer


def target(limit: int) -> str:
    return f"{URL}/v1/shopper/best-price?q=tofu&country=ca&limit={limit}"


async def main() -> None:
    key, rpc = os.environ.get("PAYER_KEY"), os.environ.get("RPC_URL")
    account = Account.from_key(key) if key else Account.create()
    # With a node, a client that has lost its state can recover its channel from the chain.
    signer = EthAccountSignerWithRPC(account, rpc_url=rpc) if rpc else EthAccountSigner(account)
    async with httpx.AsyncClient(timeout=60) as http:
        pool = [Channel(signer, number, http) for number in range(4)]
        answers = await asyncio.gather(*(pool[number % 4].get(target(number + 1)) for number in range(20)))
        print("answers", *(answer.status_code for answer in answers))
        began = time.perf_counter()
        one = await pool[0].get(target(1))
        took = (time.perf_counter() - began) * 1000
        print(f"one more in {took:.1f} ms:", one.status_code, one.json()["best_price"]["price"])
    for channel in pool:
        given_back = await asyncio.to_thread(channel.scheme.refund, target(1))
        print("given back", given_back.amount)


asyncio.run(main())
