/** `sub_account` of every resource: the URI of the subaccount that owns it, null for the main account. */
export function subaccountUri(account: string, mainAccount: string): string | null {
  return account === mainAccount ? null : `/v1/Account/${mainAccount}/Subaccount/${account}/`;
}

/** The auth_id in such a URI, or the text itself: filters accept both. */
export function subaccountOf(text: string): string {
  return /^\/v1\/Account\/[^/]+\/Subaccount\/([^/]+)\/?$/.exec(text)?.[1] ?? text;
}
