interface Words {
  readonly sms: (brand: string) => string;
  readonly intro: (brand: string) => string;
  readonly prompt: (brand: string) => string;
}

const words: Readonly<Record<string, Words>> = {
  en: {
    sms: (brand) => `{{code}} is your ${joined(brand)}verification code.`,
    intro: (brand) => `Your ${joined(brand)}verification code is`,
    prompt: (brand) => `Hello. Press 1 to hear your ${joined(brand)}verification code.`,
  },
  de: {
    sms: (brand) => `{{code}} ist Ihr Bestätigungscode${by(' für ', brand)}.`,
    intro: (brand) => `Ihr Bestätigungscode${by(' für ', brand)} lautet`,
    prompt: (brand) =>
      `Guten Tag. Drücken Sie die 1, um Ihren Bestätigungscode${by(' für ', brand)} zu hören.`,
  },
  es: {
    sms: (brand) => `{{code}} es su código de verificación${by(' de ', brand)}.`,
    intro: (brand) => `Su código de verificación${by(' de ', brand)} es`,
    prompt: (brand) => `Hola. Pulse 1 para escuchar su código de verificación${by(' de ', brand)}.`,
  },
  fr: {
    sms: (brand) => `{{code}} est votre code de vérification${by(' ', brand)}.`,
    intro: (brand) => `Votre code de vérification${by(' ', brand)} est`,
    prompt: (brand) => `Bonjour. Appuyez sur 1 pour entendre votre code de vérification${by(' ', brand)}.`,
  },
  it: {
    sms: (brand) => `{{code}} è il tuo codice di verifica${by(' ', brand)}.`,
    intro: (brand) => `Il tuo codice di verifica${by(' ', brand)} è`,
    prompt: (brand) => `Ciao. Premi 1 per ascoltare il tuo codice di verifica${by(' ', brand)}.`,
  },
  pt: {
    sms: (brand) => `{{code}} é o seu código de verificação${by(' ', brand)}.`,
    intro: (brand) => `O seu código de verificação${by(' ', brand)} é`,
    prompt: (brand) => `Olá. Pressione 1 para ouvir o seu código de verificação${by(' ', brand)}.`,
  },
  nl: {
    sms: (brand) => `{{code}} is uw verificatiecode${by(' voor ', brand)}.`,
    intro: (brand) => `Uw verificatiecode${by(' voor ', brand)} is`,
    prompt: (brand) => `Hallo. Druk op 1 om uw verificatiecode${by(' voor ', brand)} te horen.`,
  },
};

function joined(brand: string): string {
  return brand === '' ? '' : `${brand} `;
}

function by(word: string, brand: string): string {
  return brand === '' ? '' : word + brand;
}

/** The language of the locale where there are words in it, else English. */
function languageOf(locale: string): string {
  const language = primaryOf(locale);
  return language in words ? language : 'en';
}

/** RFC 5646 §2.2.1: the primary language subtag. */
function primaryOf(locale: string): string {
  return locale.split(/[-_]/)[0]!.toLowerCase();
}

/** The language tag for the speech engine: the whole tag where the words are in its language. */
export function spokenLanguage(locale: string): string {
  const language = languageOf(locale);
  return primaryOf(locale) === language ? locale.replaceAll('_', '-') : language;
}

/** The text of a message. A template of the app goes before the words of the language. */
export function messageText(
  { template, locale, brand, appHash }: Record<'template' | 'locale' | 'brand' | 'appHash', string>,
  code: string,
): string {
  const text = template === '' ? words[languageOf(locale)]!.sms(brand === '' ? '' : '{{brand}}') : template;
  // One pass: a brand with the name {{code}} stays as written.
  const filled = text.replace(/\{\{(brand|code)\}\}/g, (_, name) => (name === 'brand' ? brand : code));
  // The retriever of Android reads messages that end with the hash of the app, on a line of its own.
  return appHash === '' ? filled : `${filled}\n${appHash}`;
}

export function introText(locale: string, brand: string): string {
  return words[languageOf(locale)]!.intro(brand);
}

export function promptText(locale: string, brand: string): string {
  return words[languageOf(locale)]!.prompt(brand);
}
