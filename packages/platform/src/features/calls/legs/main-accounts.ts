/** What is kept in memory: an account that is forgotten is asked for again. */
const remembered = 10_000;

/** Remembers main accounts: whose subaccount one is never changes, and every call of an endpoint asks. */
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
