// npm mppx: MPP on Tempo. The local node mines one such payment per sender, so the account is new; KEY holds
// its key.

import { Mppx, tempo } from 'mppx/client';
import { createClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { tempo as chain } from 'viem/tempo/chains';
import { TEMPO_RPC } from '../rig/addresses.mjs';
import { report, TARGET } from './common.mjs';

const account = privateKeyToAccount(process.env.KEY);
const getClient = () => createClient({ account, chain, transport: http(TEMPO_RPC), pollingInterval: 100 });
const mppx = Mppx.create({ polyfill: false, methods: [tempo.charge({ account, getClient })] });
await report(await mppx.fetch(TARGET));
