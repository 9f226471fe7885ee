/** What the parts of a date are, by the values of `format` (https://www.w3.org/TR/ssml-sayas/, section 3.1). */
const formats: Readonly<Record<string, string>> = {
  ymd: 'ymd',
  yyyymmdd: 'ymd',
  dmy: 'dmy',
  mdy: 'mdy',
  ym: 'ym',
  my: 'my',
  md: 'md',
  dm: 'dm',
};

/**
 * The date in the words of its language, such as "24 November 2026": engines read that, and not "24/11/26". Undefined for text that is no date of the
 * format. Without a format the year comes first.
 */
export function writtenDate(text: string, format: string | undefined, language: string): string | undefined {
  const order = formats[format ?? 'ymd'];
  if (order === undefined) return undefined;
  const parts = partsOf(text, order);
  if (parts?.length !== order.length) return undefined;
  const numberOf = (part: string) => {
    const at = order.indexOf(part);
    return at < 0 ? undefined : Number(parts[at]);
  };
  const [year, month, day] = [numberOf('y'), numberOf('m'), numberOf('d')];
  // A leap year, where the date names none.
  const date = new Date(Date.UTC(year ?? 2000, (month ?? 1) - 1, day ?? 1));
  const isReal = date.getUTCMonth() + 1 === (month ?? 1) && date.getUTCDate() === (day ?? 1);
  if (!isReal) return undefined;
  const fields: Intl.DateTimeFormatOptions = {
    month: 'long',
    ...(year === undefined ? {} : { year: 'numeric' }),
    ...(day === undefined ? {} : { day: 'numeric' }),
  };
  return inWords(date, fields, language);
}

/** Digits between separators, or eight digits without them; a year has four. */
function partsOf(text: string, order: string): readonly string[] | undefined {
  const parts = /^[0-9]{8}$/.test(text) ? unseparated(text, order) : text.split(/\s*[-/. ]\s*/);
  const isWell = parts.every((part, at) =>
    order[at] === 'y' ? /^[12][0-9]{3}$/.test(part) : /^[0-9]{1,2}$/.test(part),
  );
  return isWell ? parts : undefined;
}

function unseparated(text: string, order: string): readonly string[] {
  const parts: string[] = [];
  let at = 0;
  for (const part of order) {
    const length = part === 'y' ? 4 : 2;
    parts.push(text.slice(at, at + length));
    at += length;
  }
  return parts;
}

/** Undefined for a language whose dates are not known here. */
function inWords(date: Date, fields: Intl.DateTimeFormatOptions, language: string): string | undefined {
  try {
    const [known] = Intl.DateTimeFormat.supportedLocalesOf(language.replaceAll('_', '-'));
    if (known === undefined) return undefined;
    return new Intl.DateTimeFormat(known, { ...fields, calendar: 'gregory', timeZone: 'UTC' }).format(date);
  } catch {
    // A tag that is not one of BCP 47.
    return undefined;
  }
}
