/** `sub_account` of every resource: the URI of the subaccount that owns it, null for the main account. */
export function subaccountUri(account: string, mainAccount: string): string | null {
  return account === mainAccount ? null : `/v1/Account/${mainAccount}/Subaccount/${account}/`;
}

/** The auth_id of lists that are filtered by `subaccount`, or by `sub_account`, which may also be a URI. */
export function subaccountFilter(query: {
  readonly subaccount?: string;
  readonly sub_account?: string;
}): string | undefined {
  const { subaccount, sub_account: other } = query;
  if (other === undefined) return subaccount;
  const named = subaccountOf(other);
  // No account has an empty auth_id: a list of two subaccounts at once is empty.
  return subaccount === undefined || subaccount === named ? named : '';
}

/** The auth_id in such a URI, or the text itself. */
function subaccountOf(text: string): string {
  return /^\/v1\/Account\/[^/]+\/Subaccount\/([^/]+)\/?$/.exec(text)?.[1] ?? text;
}
