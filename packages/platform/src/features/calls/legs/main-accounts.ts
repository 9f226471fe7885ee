/** Accounts in memory; a forgotten account is looked up again. */
const remembered = 10_000;

/** Remembers main accounts: they never change, and every call of an endpoint needs one. */
export function rememberMainAccounts(
  ask: (account: string) => Promise<string | undefined>,
): (account: string) => Promise<string | undefined> {
  const known = new Map<string, string>();
  return async (account) => {
    const before = known.get(account);
    if (before !== undefined) return before;
    const main = await ask(account);
    if (main === undefined) return undefined;
    if (known.size >= remembered) known.clear();
    known.set(account, main);
    return main;
  };
}
