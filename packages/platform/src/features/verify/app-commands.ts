import {
  fraudLevels,
  type NewVerifyApp,
  readBoolean,
  readInteger,
  readOneOf,
  type VerifyAppChanges,
  type VerifyAppItem,
} from '@jackfield/contract';
import type { Database, Instant, Secrets } from '@jackfield/ports';
import { isSupportedCountry } from 'libphonenumber-js/max';
import type { RequestAccount } from '../../http/index.ts';
import { present } from '../../kernel/present.ts';
import { invalidParameter, notFound, problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { type AppSettings, type AppStore, appDefaults } from './app-store.ts';
import type { AppRow } from './tables.ts';

export interface AppCommandDeps {
  readonly database: Pick<Database, 'transact'>;
  readonly apps: AppStore;
  readonly secrets: Pick<Secrets, 'randomUuid'>;
}

export async function createApp(
  { database, apps, secrets }: AppCommandDeps,
  account: RequestAccount,
  requested: NewVerifyApp,
  now: Instant,
): Promise<Result<string>> {
  const settings = settingsOf(requested);
  if (!settings.ok) return settings;
  const app: AppRow = {
    ...appDefaults,
    is_default: 0,
    ...settings.value,
    app_uuid: secrets.randomUuid(),
    account: account.authId,
    main_account: account.main,
    alias: requested.alias,
    created_at: now,
  };
  await database.transact((write) => apps.insert(write, app));
  return accepted(app.app_uuid);
}

/** A session keeps the settings of its beginning. */
export async function changeApp(
  { database, apps }: AppCommandDeps,
  account: RequestAccount,
  uuid: string,
  requested: VerifyAppChanges,
): Promise<Result<undefined>> {
  const changes = settingsOf(requested);
  return database.transact(async (write) => {
    const app = await apps.read(write, account, uuid);
    if (app === undefined) return refused(notFound('app', uuid));
    if (!changes.ok) return changes;
    if (app.is_default === 1 && changes.value.is_default === 0) {
      return refused(
        problem('conflict', 'is_default cannot be set to false: make another app the default instead'),
      );
    }
    await apps.change(write, app, changes.value);
    return accepted(undefined);
  });
}

/** Live sessions go on. */
export async function removeApp(
  { database, apps }: AppCommandDeps,
  account: RequestAccount,
  uuid: string,
): Promise<Result<undefined>> {
  return database.transact(async (write) => {
    const app = await apps.read(write, account, uuid);
    if (app === undefined) return refused(notFound('app', uuid));
    if (app.is_default === 1) {
      return refused(
        problem('conflict', 'the default app cannot be deleted: make another app the default first'),
      );
    }
    await apps.remove(write, app);
    return accepted(undefined);
  });
}

/** The settings that the request names. */
function settingsOf(requested: VerifyAppChanges): Result<Partial<AppSettings>> {
  const { sms_template: template } = requested;
  if (template && !template.includes('{{code}}')) {
    return refused(invalidParameter('sms_template', template, 'a text with {{code}} in it, or empty'));
  }
  const countries = requested.allowed_countries?.map((country) => country.toUpperCase());
  const unknown = countries?.find((country) => !isSupportedCountry(country));
  if (unknown !== undefined) {
    const allowed = 'a list of countries that have telephone numbers, each by its two letters';
    return refused(invalidParameter('allowed_countries', unknown, allowed));
  }
  return accepted(
    present({
      alias: requested.alias,
      brand_name: requested.brand_name,
      code_length: readInteger(requested.code_length),
      code_expiry: readInteger(requested.code_expiry),
      max_attempts: readInteger(requested.max_attempts),
      max_validations: readInteger(requested.max_validations),
      sms_template: template,
      app_hash: requested.app_hash,
      sender: requested.sender,
      fraud_shield: readOneOf(fraudLevels, requested.fraud_shield),
      allowed_countries: countries && [...new Set(countries)].join(','),
      voice_fallback: bit(readBoolean(requested.voice_fallback)),
      is_default: bit(readBoolean(requested.is_default)),
    }),
  );
}

function bit(requested: boolean | undefined): number | undefined {
  return requested === undefined ? undefined : Number(requested);
}

export function appItemOf(row: AppRow, viewer: RequestAccount): VerifyAppItem {
  return {
    app_uuid: row.app_uuid,
    alias: row.alias,
    brand_name: row.brand_name,
    code_length: row.code_length,
    code_expiry: row.code_expiry,
    max_attempts: row.max_attempts,
    max_validations: row.max_validations,
    sms_template: row.sms_template,
    app_hash: row.app_hash,
    sender: row.sender,
    fraud_shield: row.fraud_shield,
    allowed_countries: row.allowed_countries === '' ? [] : row.allowed_countries.split(','),
    voice_fallback: row.voice_fallback === 1,
    is_default: row.is_default === 1,
    created_at: new Date(row.created_at).toISOString(),
    resource_uri: `/v1/Account/${viewer.authId}/Verify/App/${row.app_uuid}/`,
  };
}
