import type { Migration } from '@jackfield/ports';

const owned = `
  position {{identity}},
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL`;

const views = (table: string) => `
CREATE INDEX ${table}_by_account ON ${table} (account, position);
CREATE INDEX ${table}_by_main_account ON ${table} (main_account, position);`;

/** A filter of the list, in both views. */
const filtered = (column: string) => `
CREATE INDEX trunks_by_account_and_${column} ON trunks (account, ${column}, position);
CREATE INDEX trunks_by_main_account_and_${column} ON trunks (main_account, ${column}, position);`;

/** Trunks by one of their parts: for the filters, and for the deletion of the part. */
const referring = (column: string) => `
CREATE INDEX trunks_by_${column} ON trunks (${column}, position) WHERE ${column} IS NOT NULL;`;

export const trunksTables: Migration = {
  name: 'trunks/0001-trunks',
  sql: `
CREATE TABLE trunk_credentials (${owned},
  username TEXT NOT NULL,
  ha1_md5 TEXT NOT NULL,
  ha1_sha256 TEXT NOT NULL,
  previous_username TEXT,
  previous_ha1_md5 TEXT,
  previous_ha1_sha256 TEXT,
  previous_until BIGINT
);
${views('trunk_credentials')}

CREATE TABLE trunk_address_lists (${owned},
  addresses TEXT NOT NULL
);
${views('trunk_address_lists')}

CREATE TABLE trunk_origination_uris (${owned},
  uri TEXT NOT NULL,
  authentication_needed INTEGER NOT NULL,
  username TEXT,
  password_sealed TEXT
);
${views('trunk_origination_uris')}

CREATE TABLE trunks (${owned},
  trunk_direction TEXT NOT NULL,
  trunk_status TEXT NOT NULL,
  secure INTEGER NOT NULL,
  ipacl_uuid TEXT,
  credential_uuid TEXT,
  primary_uri_uuid TEXT,
  fallback_uri_uuid TEXT,
  lost_credential_uuid TEXT
);
${views('trunks')}
${['trunk_direction', 'trunk_status', 'secure'].map(filtered).join('')}
${['ipacl_uuid', 'credential_uuid', 'primary_uri_uuid', 'fallback_uri_uuid'].map(referring).join('')}

CREATE TABLE trunk_totals (
  account TEXT NOT NULL,
  kind TEXT NOT NULL,
  total INTEGER NOT NULL,
  PRIMARY KEY (account, kind)
);
`,
};
