"""PyPI pympp: MPP on Base (argument `evm`) or on Tempo (argument `tempo`).

Pays TARGET with the account of KEY and prints one JSON line.
"""

import asyncio
import base64
import json
import os
import sys

from eth_account import Account
from mpp.client import Mpp


def charge(method, key):
    if method == "evm":
        from mpp.methods.evm import BASE_USDC
        from mpp.methods.evm import client as evm

        return evm.charge(currency=BASE_USDC, account=Account.from_key(key))
    from mpp.methods.tempo import TempoAccount
    from mpp.methods.tempo import client as tempo

    return tempo.charge(account=TempoAccount.from_key(key), rpc_url=os.environ["TEMPO_RPC"])


async def main(method):
    async with Mpp(methods=[charge(method, os.environ["KEY"])]) as client:
        response = await client.fetch(os.environ["TARGET"])
    receipt = response.headers.get("payment-receipt")
    decoded = json.loads(base64.urlsafe_b64decode(receipt + "=" * (-len(receipt) % 4))) if receipt else None
    print(json.dumps({"status": response.status_code, "receipt": decoded, "body": response.text[:300]}))


asyncio.run(main(sys.argv[1]))
