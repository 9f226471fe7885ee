export { createHttpSms, type HttpSms, type HttpSmsOptions, type ReceiptRequest } from './http-sms.ts';
export type { ReceiptRules } from './receipt-request.ts';
