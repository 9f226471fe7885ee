import { type ApplicationChanges, readBoolean, readOneOf } from '@jackfield/contract';

type Method = 'GET' | 'POST';

export interface ApplicationSettings {
  readonly app_name: string;
  readonly answer_url: string;
  readonly answer_method: Method;
  /** Empty: answer_url, also after that has changed. */
  readonly hangup_url: string;
  readonly hangup_method: Method;
  /** Empty: none; message_url likewise. */
  readonly fallback_answer_url: string;
  readonly fallback_method: Method;
  readonly message_url: string;
  readonly message_method: Method;
  readonly default_number_app: boolean;
  readonly default_endpoint_app: boolean;
  readonly public_uri: boolean;
  readonly log_incoming_messages: boolean;
}

/** Defaults of a new application. */
export const initialSettings: ApplicationSettings = {
  app_name: '',
  answer_url: '',
  answer_method: 'POST',
  hangup_url: '',
  hangup_method: 'POST',
  fallback_answer_url: '',
  fallback_method: 'POST',
  message_url: '',
  message_method: 'POST',
  default_number_app: false,
  default_endpoint_app: false,
  public_uri: false,
  log_incoming_messages: true,
};

const methods = ['GET', 'POST'] as const;

/** The settings after a request; settings that it does not name stay. */
export function changedSettings(before: ApplicationSettings, spec: ApplicationChanges): ApplicationSettings {
  return {
    app_name: spec.app_name ?? before.app_name,
    answer_url: spec.answer_url ?? before.answer_url,
    answer_method: readOneOf(methods, spec.answer_method) ?? before.answer_method,
    hangup_url: spec.hangup_url ?? before.hangup_url,
    hangup_method: readOneOf(methods, spec.hangup_method) ?? before.hangup_method,
    fallback_answer_url: spec.fallback_answer_url ?? before.fallback_answer_url,
    fallback_method: readOneOf(methods, spec.fallback_method) ?? before.fallback_method,
    message_url: spec.message_url ?? before.message_url,
    message_method: readOneOf(methods, spec.message_method) ?? before.message_method,
    default_number_app: readBoolean(spec.default_number_app) ?? before.default_number_app,
    default_endpoint_app: readBoolean(spec.default_endpoint_app) ?? before.default_endpoint_app,
    public_uri: readBoolean(spec.public_uri) ?? before.public_uri,
    log_incoming_messages: readBoolean(spec.log_incoming_messages) ?? before.log_incoming_messages,
  };
}
