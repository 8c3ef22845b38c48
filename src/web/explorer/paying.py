# pip install 'x402[evm,httpx]==2.25.0'
import asyncio, os
import httpx
from eth_account import Account
from x402 import x402Client
from x402.http.clients.httpx import x402AsyncTransport
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact import ExactEvmScheme

async def main():
    key = os.environ.get("PAYER_KEY")
    account = Account.from_key(key) if key else Account.create()
    payer = x402Client()
    payer.register(os.environ.get("NETWORK", "eip155:84532"), ExactEvmScheme(signer=EthAccountSigner(account)))
    async with httpx.AsyncClient(transport=x402AsyncTransport(payer), timeout=60) as client:
        answer = await client.get(URL)
        answer.raise_for_status()
        print(answer.text)

asyncio.run(main())
