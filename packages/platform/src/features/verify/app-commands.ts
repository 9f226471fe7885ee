import {
  fraudLevels,
  type NewVerifyApp,
  readBoolean,
  readInteger,
  readOneOf,
  type VerifyAppChanges,
  type VerifyAppItem,
} from '@jackfield/contract';
import type { Instant, Secrets } from '@jackfield/ports';
import { isSupportedCountry } from 'libphonenumber-js/max';
import type { RequestAccount } from '../../http/index.ts';
import { invalidParameter, notFound, problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { type AppStore, appDefaults } from './app-store.ts';
import type { AppRow } from './tables.ts';

export interface AppCommandDeps {
  readonly apps: AppStore;
  readonly secrets: Pick<Secrets, 'randomUuid'>;
}

export async function createApp(
  { apps, secrets }: AppCommandDeps,
  account: RequestAccount,
  requested: NewVerifyApp,
  now: Instant,
): Promise<Result<string>> {
  const app: AppRow = {
    ...appDefaults,
    app_uuid: secrets.randomUuid(),
    account: account.authId,
    main_account: account.main,
    alias: requested.alias,
    is_default: 0,
    created_at: now,
  };
  const settled = withSettings(app, requested);
  if (!settled.ok) return settled;
  await apps.insert(settled.value);
  return accepted(app.app_uuid);
}

/** A session keeps the settings of its beginning. */
export async function changeApp(
  { apps }: AppCommandDeps,
  account: RequestAccount,
  uuid: string,
  changes: VerifyAppChanges,
): Promise<Result<string>> {
  const app = await apps.find(account, uuid);
  if (app === undefined) return refused(notFound('app', uuid));
  const settled = withSettings(app, changes);
  if (!settled.ok) return settled;
  if (app.is_default === 1 && settled.value.is_default === 0) {
    return refused(
      problem('conflict', 'is_default cannot be set to false: make another app the default instead'),
    );
  }
  await apps.save(settled.value);
  return accepted(app.app_uuid);
}

/** Live sessions go on. */
export async function removeApp(
  { apps }: AppCommandDeps,
  account: RequestAccount,
  uuid: string,
): Promise<Result<undefined>> {
  const app = await apps.find(account, uuid);
  if (app === undefined) return refused(notFound('app', uuid));
  if (app.is_default === 1) {
    return refused(
      problem('conflict', 'the default app cannot be deleted: make another app the default first'),
    );
  }
  await apps.remove(app);
  return accepted(undefined);
}

function withSettings(app: AppRow, requested: VerifyAppChanges): Result<AppRow> {
  const template = requested.sms_template ?? app.sms_template;
  if (template !== '' && !template.includes('{{code}}')) {
    return refused(invalidParameter('sms_template', template, 'a text with {{code}} in it, or empty'));
  }
  const countries = requested.allowed_countries?.map((country) => country.toUpperCase());
  const unknown = countries?.find((country) => !isSupportedCountry(country));
  if (unknown !== undefined) {
    const allowed = 'a list of countries that have telephone numbers, each by its two letters';
    return refused(invalidParameter('allowed_countries', unknown, allowed));
  }
  return accepted({
    ...app,
    alias: requested.alias ?? app.alias,
    brand_name: requested.brand_name ?? app.brand_name,
    code_length: readInteger(requested.code_length) ?? app.code_length,
    code_expiry: readInteger(requested.code_expiry) ?? app.code_expiry,
    max_attempts: readInteger(requested.max_attempts) ?? app.max_attempts,
    max_validations: readInteger(requested.max_validations) ?? app.max_validations,
    sms_template: template,
    app_hash: requested.app_hash ?? app.app_hash,
    sender: requested.sender ?? app.sender,
    fraud_shield: readOneOf(fraudLevels, requested.fraud_shield) ?? app.fraud_shield,
    allowed_countries: countries === undefined ? app.allowed_countries : [...new Set(countries)].join(','),
    voice_fallback: bit(readBoolean(requested.voice_fallback), app.voice_fallback),
    is_default: bit(readBoolean(requested.is_default), app.is_default),
  });
}

function bit(requested: boolean | undefined, otherwise: number): number {
  return requested === undefined ? otherwise : requested ? 1 : 0;
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
