import type { Migration } from '@jackfield/ports';

/**
 * The password itself, encrypted: HA1 is made of username, realm and password, and each of the first two can change alone. Older rows
 * have no password, and keep their digests. And trunks by the credential that they have lost, for a filter of their list.
 */
export const credentialSecrets: Migration = {
  name: 'trunks/0002-credential-secrets',
  sql: `
ALTER TABLE trunk_credentials ADD COLUMN realm TEXT;
ALTER TABLE trunk_credentials ADD COLUMN password_sealed TEXT;
ALTER TABLE trunk_credentials ADD COLUMN previous_password_sealed TEXT;
CREATE INDEX trunks_by_lost_credential_uuid ON trunks (lost_credential_uuid, position)
  WHERE lost_credential_uuid IS NOT NULL;
`,
};
