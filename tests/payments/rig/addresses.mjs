// Who and what is on the local chains, and where they listen. Every key is a public development key or a
// constant seed: worthless. The addresses of tokens and the numbers of chains are those of the main nets.
//
// The processes of the rig are told their URLs in the environment, so that each run has ports of its own.

const url = (name) => process.env[name] ?? 'http://127.0.0.1:1';

export const BASE_RPC = url('BASE_RPC');
export const TEMPO_RPC = url('TEMPO_RPC');
export const SOLANA_RPC = url('SOLANA_RPC');
export const BASE_FACILITATOR = url('BASE_FACILITATOR');
export const SOLANA_FACILITATOR = url('SOLANA_FACILITATOR');

export const BASE_CHAIN_ID = 8453;
export const BASE_NETWORK = `eip155:${BASE_CHAIN_ID}`;
export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
export const BASE_DOMAIN = {
  name: 'USD Coin',
  version: '2',
  chainId: BASE_CHAIN_ID,
  verifyingContract: USDC,
};

export const SEPOLIA_CHAIN_ID = 84532;
export const SEPOLIA_NETWORK = `eip155:${SEPOLIA_CHAIN_ID}`;
export const SEPOLIA_USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
export const SEPOLIA_DOMAIN = {
  name: 'USDC',
  version: '2',
  chainId: SEPOLIA_CHAIN_ID,
  verifyingContract: SEPOLIA_USDC,
};

export const TEMPO_CHAIN_ID = 4217;
export const USDC_E = '0x20C000000000000000000000b9537d11c60E8b50';
// Tempo's own dollar, in which fees are paid unless the client names another token.
export const PATH_USD = '0x20c0000000000000000000000000000000000000';

export const SOLANA_NETWORK = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
export const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

// Development accounts of anvil, by number. The facilitator's key is that of DEV0.
export const DEV0 = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
export const FACILITATOR_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
export const PAYER_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'; // of number 1
export const PAY_TO = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'; // number 2: who is paid on Base and Tempo
export const STRANGER = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'; // number 9: sets up and runs in front
export const SOLANA_PAY_TO = 'GyGKxMyg1p9SsHfm15MkNUu1u9TN2JtTspcdmrtGUdse'; // of the seed 32 × 0x03

// The contracts of payment channels, see channels.sol.
export const CHANNELS = '0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003';
export const DEPOSIT_COLLECTOR = '0x4020806089470a89826cB9fB1f4059150b550004';
export const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11';
export const CHANNELS_DOMAIN = {
  name: 'x402 Batch Settlement',
  version: '1',
  chainId: BASE_CHAIN_ID,
  verifyingContract: CHANNELS,
};
// The key with which the server signs claims and refunds, and who it is: number 3.
export const CHANNEL_KEY = '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6';
export const RECEIVER_AUTHORIZER = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

// A contract that makes two calls in one transaction, see contracts.sol.
export const TWO_CALLS = '0x00000000000000000000000000000000000002Ca';
