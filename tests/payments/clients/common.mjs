// What every Node.js client of the suite shares: it pays `TARGET` with its own library and prints one JSON
// line.

export const TARGET = process.env.TARGET;

/** The result of a paid request. */
export async function report(response) {
  const receipt = response.headers.get('payment-response') ?? response.headers.get('payment-receipt');
  const decoded = receipt && JSON.parse(Buffer.from(receipt, 'base64').toString('utf8'));
  const body = (await response.text()).slice(0, 300);
  console.log(JSON.stringify({ status: response.status, receipt: decoded, body }));
}
