import type { ApplicationListQuery, Application as ShownApplication } from '@jackfield/contract';
import type { RequestAccount } from '../../http/index.ts';
import { answerPage, type List } from '../../kernel/pagination.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { subaccountUri } from '../../kernel/subaccount-uri.ts';
import type { Application, ApplicationStore } from './store.ts';

export interface QueryDeps {
  readonly store: ApplicationStore;
  /** `sip_uri` is in the domain `app.` below this one. */
  readonly domain: string;
}

export async function readApplication(
  deps: QueryDeps,
  account: RequestAccount,
  appId: string,
): Promise<Result<ShownApplication>> {
  const application = await deps.store.find(account, appId);
  if (application === undefined) return refused(notFound('application', appId));
  return accepted(shown(deps, account, application));
}

/** Newest first. */
export async function readApplications(
  deps: QueryDeps,
  account: RequestAccount,
  query: ApplicationListQuery,
): Promise<Result<List<ShownApplication>>> {
  const { app_name, subaccount } = query;
  return answerPage(
    { query, path: `/v1/Account/${account.authId}/Application/` },
    async (page) => {
      const { total, objects } = await deps.store.list(account, { namePrefix: app_name, subaccount }, page);
      return { total, rows: objects };
    },
    (application) => shown(deps, account, application),
  );
}

function shown({ domain }: QueryDeps, viewer: RequestAccount, application: Application): ShownApplication {
  const { app_id, account, main_account, answer_url } = application;
  return {
    app_id,
    app_name: application.app_name,
    answer_url,
    answer_method: application.answer_method,
    hangup_url: application.hangup_url || answer_url,
    hangup_method: application.hangup_method,
    fallback_answer_url: application.fallback_answer_url,
    fallback_method: application.fallback_method,
    message_url: application.message_url,
    message_method: application.message_method,
    default_app: application.default_number_app,
    default_endpoint_app: application.default_endpoint_app,
    public_uri: application.public_uri,
    enabled: true,
    log_incoming_messages: application.log_incoming_messages,
    sip_uri: `sip:${app_id}@app.${domain}`,
    sub_account: subaccountUri(account, main_account),
    resource_uri: `/v1/Account/${viewer.authId}/Application/${app_id}/`,
  };
}
