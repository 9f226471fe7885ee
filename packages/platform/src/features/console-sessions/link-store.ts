import type { Instant, Read, Write } from '@jackfield/ports';
import { type ConsoleLinkRow, tablesOf } from './tables.ts';

/** Removes the links of the account that would expire first, beyond `most`. */
export async function insertLink(write: Write, row: ConsoleLinkRow, most: number): Promise<void> {
  await tablesOf(write).insertInto('console_links').values(row).execute();
  const surplus = await tablesOf(write)
    .selectFrom('console_links')
    .select('link_hash')
    .where('account', '=', row.account)
    .orderBy('expires_at', 'desc')
    .orderBy('link_hash')
    .offset(most)
    .limit(most)
    .execute();
  for (const { link_hash } of surplus) await takeLink(write, link_hash);
}

/** Removes the link: of several requests with one link, one gets it. */
export function takeLink(write: Write, linkHash: string): Promise<ConsoleLinkRow | undefined> {
  return tablesOf(write)
    .deleteFrom('console_links')
    .where('link_hash', '=', linkHash)
    .returningAll()
    .executeTakeFirst();
}

export async function removeLinks(write: Write, account: string): Promise<void> {
  await tablesOf(write).deleteFrom('console_links').where('account', '=', account).execute();
}

export async function linksExpiredBefore(
  read: Read,
  before: Instant,
  limit: number,
): Promise<readonly string[]> {
  const rows = await tablesOf(read)
    .selectFrom('console_links')
    .select('link_hash')
    .where('expires_at', '<', before)
    .limit(limit)
    .execute();
  return rows.map(({ link_hash }) => link_hash);
}
