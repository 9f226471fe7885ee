/** What people and machines say first, by language. */
export interface Greetings {
  readonly language: string;
  /** A person who picks up a private phone. */
  readonly hellos: readonly string[];
  /** A person who answers for a company. */
  readonly companies: readonly string[];
  readonly machines: readonly string[];
  /** Machines of few words, which only their beep gives away. */
  readonly briefMachines: readonly string[];
}

export const greetings: readonly Greetings[] = [
  {
    language: 'en-US',
    hellos: ['Hello?', 'Yes?', 'Hi, this is Susan.', 'Miller speaking.'],
    companies: ['Acme Corporation, good morning.', 'Hello, this is Susan Miller of Acme.'],
    machines: [
      'Hi, you have reached Susan. I cannot come to the phone right now, so please leave a message after the tone.',
      'Your call has been forwarded to an automatic voice message system. At the tone, please record your message.',
      'Hello. You have reached the mailbox of four one five, five five five, two six seven one. Please leave a message.',
    ],
    briefMachines: ['Please leave a message.', 'Leave a message after the beep.'],
  },
  {
    language: 'en-GB',
    hellos: ['Hello?', 'Good afternoon.', 'Tom here.'],
    companies: ['Good morning, Smith and Sons.', 'Reception, how can I help?'],
    machines: [
      'The person you are calling is not available. Please leave your message after the tone.',
      'Hello, this is Tom. I am either out or on the other line. Leave your name and number and I will call you back.',
    ],
    briefMachines: ['Leave a message for Tom.'],
  },
  {
    language: 'de',
    hellos: ['Hallo?', 'Ja, bitte?', 'Müller.', 'Schmidt, guten Tag.'],
    companies: ['Firma Becker, guten Morgen.', 'Praxis Doktor Weber, guten Tag.'],
    machines: [
      'Guten Tag, Sie sind verbunden mit dem Anschluss von Familie Müller. Bitte hinterlassen Sie eine Nachricht nach dem Signalton.',
      'Der gewünschte Gesprächspartner ist zur Zeit nicht erreichbar. Sie können nach dem Ton eine Nachricht hinterlassen.',
    ],
    briefMachines: ['Bitte sprechen Sie nach dem Ton.'],
  },
  {
    language: 'fr-FR',
    hellos: ['Allô?', 'Oui?', 'Allô, bonjour.'],
    companies: ['Société Dupont, bonjour.', 'Cabinet Martin, bonjour.'],
    machines: [
      'Bonjour, vous êtes bien sur la messagerie de Claire. Je ne suis pas disponible pour le moment. Laissez-moi un message après le bip.',
      'Votre correspondant n’est pas joignable. Veuillez laisser un message après le signal sonore.',
    ],
    briefMachines: ['Laissez un message après le bip.'],
  },
  {
    language: 'es',
    hellos: ['¿Diga?', '¿Sí?', 'Hola, buenos días.'],
    companies: ['Talleres García, buenos días.', 'Clínica Sol, ¿dígame?'],
    machines: [
      'Hola, ha llamado al contestador de María. Ahora no puedo atenderle. Por favor, deje su mensaje después de la señal.',
      'El teléfono al que llama no está disponible en este momento. Deje su mensaje después de oír la señal.',
    ],
    briefMachines: ['Deje su mensaje después de la señal.'],
  },
  {
    language: 'pt-BR',
    hellos: ['Alô?', 'Pronto.', 'Oi, quem fala?'],
    companies: ['Padaria Central, bom dia.'],
    machines: [
      'Sua chamada está sendo encaminhada para a caixa postal e estará sujeita a cobrança após o sinal.',
      'Olá, aqui é o João. Não posso atender agora. Deixe seu recado depois do sinal.',
    ],
    briefMachines: ['Deixe seu recado.'],
  },
];
