import type { Claim } from './claim.ts'
import {
  ACTS,
  ASKS_FIRST,
  BY_LISTENER,
  BY_ONION,
  CANARY,
  CODE_LIFE,
  KEM,
  measured,
  ONCE,
  ONLY_ONION,
  SIGN_IN,
  STILL_SEEN,
} from './evidence.ts'

/** What the landing claims, and the promises around the product. */
export const FRONT_DOOR: readonly Claim[] = [
  {
    id: 'military-grade',
    text: 'Military-grade encryption',
    caption: 'RFC 9420, hybrid X25519 and ML-KEM-768.',
    story:
      'Every message is sealed with AES-256-GCM under the open MLS standard, with key agreement that also resists quantum computers.',
    tests: [
      {
        file: 'client/worker/primitives/seal.test.ts',
        title: 'It opens with the same key, label and context, and Node opens it by the same rules',
      },
      KEM,
    ],
    limit: 'The MLS library (ts-mls) has not been audited. Conclave pins it, and checks each change of keys itself before it.',
    measures: ['suite', 'tampering'],
    shown: ['landing'],
  },
  {
    id: 'onion-integration',
    text: 'Anonymous onion integration',
    caption: 'When you arrive without Tor, the status says so.',
    story:
      'Where your operator runs an onion address, reach Conclave by it and your network location stays out of the conversation.',
    tests: [BY_LISTENER, BY_ONION, ONLY_ONION, ASKS_FIRST],
    limit: STILL_SEEN,
    measures: ['route'],
    shown: ['landing'],
  },
  {
    id: 'zero-interception',
    text: 'Zero-interception architecture',
    caption: 'Holds once the safety number was compared.',
    story: 'Keys are made and kept on your devices. Compare a safety number once, and a swapped key cannot go unnoticed.',
    tests: [
      {
        file: 'client/worker/lists/safety.test.ts',
        title: 'With Eve in between the numbers differ, and her code is told from something that is no code',
      },
      {
        file: 'e2e/verify.test.ts',
        title: 'Alice scans Bob’s code and sees him verified in every browser of hers; Bob stops sending while his digits differ',
      },
    ],
    limit: 'The first key of somebody whom you add by username is taken on the server’s word, and shown as “Not verified”.',
    measures: ['tampering'],
    figure: {
      value: 60,
      unit: 'digits',
      says: 'to compare, once. Then nobody stands between you unseen; before, a key is taken on the server’s word.',
      test: measured('The safety number of two people has so many digits'),
    },
    shown: ['landing', { file: ACTS, words: 'Read one number to each other. From then on a swapped key cannot go unnoticed.' }],
  },
  {
    id: 'ephemeral-keys',
    text: 'Ephemeral key generation',
    caption: 'No two messages share a key.',
    story: 'Contact codes live for six minutes. The key of a message seals that one message.',
    tests: [CODE_LIFE, ONCE],
    limit:
      'Each message keeps its key in its envelope, sealed so that your other browsers can read the past: under a key of its chat’s epoch, and that one under your history key. Whoever holds the history key opens what is stored. And a browser overwrites keys only as far as its JavaScript engine lets it: copies that the engine has made may stay in memory.',
    measures: ['once'],
    shown: ['landing'],
  },
  {
    id: 'bits-256',
    text: '256-bit',
    caption: 'encryption of every message.',
    story: 'AES-256-GCM, keys made on your device.',
    tests: [
      {
        file: 'client/worker/primitives/seal.test.ts',
        title: 'It opens with the same key, label and context, and Node opens it by the same rules',
      },
    ],
    measures: ['suite'],
    shown: ['landing'],
  },
  {
    id: 'zero-central-servers',
    text: 'Zero central servers',
    caption: 'that can read your messages.',
    story: 'A server delivers them, sealed.',
    tests: [CANARY],
    measures: ['padding'],
    shown: ['landing'],
  },
  {
    id: 'anonymous',
    text: '100% anonymous',
    caption: 'no phone number, no email needed.',
    story: 'Use Tor to hide your network address too.',
    tests: [
      { file: 'server/account/account/account.test.ts', title: 'the four fields of the form alone make an account without keys' },
      {
        file: 'server/account/account/profile.test.ts',
        title: 'an email stays while none is sent, and an empty one clears it; nobody else is shown it',
      },
    ],
    limit:
      'The server sees from where you connect, unless you come by its onion address; whom you have as a contact, and when messages pass. Paying by card tells the provider who you are; paying by coin shows on a public chain.',
    measures: ['route'],
    shown: ['landing', { file: SIGN_IN, words: 'No phone number. No email needed.' }],
  },
  {
    id: 'recovery-kit',
    text: 'A recovery kit, and no other way back',
    caption: 'Nobody can reset your password for you, not even we; the kit can.',
    story: '24 words on paper open your account with its history. Who finds the paper can do so too.',
    tests: [
      {
        file: 'e2e/recovery.test.ts',
        title: 'Alice forgot her password: the kit opens her account with its history, and old password and old kit are dead',
      },
    ],
    measures: [],
    figure: {
      value: 24,
      unit: 'words',
      says: 'on paper open your account. Nobody can reset it for you, not even we; who finds them can.',
      test: measured('A new recovery kit has so many words'),
    },
    shown: [
      {
        file: SIGN_IN,
        words: 'You receive a recovery kit. Nobody can reset your password for you, not even we; the kit can.',
      },
      {
        file: ACTS,
        words: 'On a new browser your password or your kit opens your history, as you have chosen. The server reads none of it.',
      },
    ],
  },
  {
    id: 'browser-lock',
    text: 'A lock for the browser, and one for a chat',
    caption: 'When you go away. Whoever watches while it is open reads along.',
    story:
      'After minutes without you, or at a press, every tab shuts its keys and shows nothing any more. A chat can have a password of its own.',
    tests: [
      {
        file: 'e2e/lock.test.ts',
        title: 'Alice goes away: both her tabs lock, what Bob writes is counted and not shown, and her password brings both back',
      },
      {
        file: 'e2e/chatlock.test.ts',
        title:
          'A chat with a password is shut in all of Alice’s browsers: no word of it lies anywhere, and what came meanwhile is read after unlocking',
      },
    ],
    limit: 'What a system keeps of the screen, and what a notification has shown, the lock cannot take back.',
    measures: [],
    shown: [{ file: ACTS, words: 'The page shuts its keys and forgets what it showed. A chat can have a password of its own.' }],
  },
  {
    id: 'checked-code',
    text: 'Code that can be checked',
    caption: 'By its hash, and by the signature of its operator. The first load trusts the server.',
    story:
      'What the server hands to your browser has a name made of all its bytes. A browser that keeps a copy starts by itself no version that is incomplete, altered, or older than one that it has seen.',
    tests: [
      {
        file: 'client/sw/keep.test.ts',
        title: 'One byte of a file is another: that build is not started, and the last good one goes on',
      },
      {
        file: 'client/sw/keep.test.ts',
        title: 'A server that goes back to an older version brings no old client back, and one that is away changes nothing',
      },
      {
        file: 'client/sw/keep.test.ts',
        title:
          'Once a key was seen nothing starts that it has not signed: not unsigned, not by another key, not by half a signature',
      },
    ],
    limit:
      'A server that hands you other code from the start reads what you type. That is the limit of every application in a browser.',
    measures: ['build', 'origin'],
    shown: [],
  },
  {
    id: 'elite-support',
    text: 'Elite support',
    caption: 'Where your operator offers it. The hours are theirs to promise.',
    story: 'A person who knows the product answers, and has no way to read your conversations.',
    tests: [CANARY],
    limit: 'That somebody answers is the promise of whoever runs your server. That they cannot read is proven.',
    measures: [],
    shown: ['landing'],
  },
  {
    id: 'support-24-7',
    text: '24/7 support',
    caption: 'Where your operator offers it.',
    story: 'Whoever runs your server answers for it, at the hours that they promise.',
    tests: [],
    limit: 'Conclave is software: it cannot keep somebody awake. Ask your operator.',
    measures: [],
    shown: [],
  },
  {
    id: 'guarantee',
    text: '30-day guarantee',
    caption: 'Where your operator offers it.',
    story:
      'Who has paid for a plan by card and does not want it gets the money back, once, within thirty days, by a button in Settings.',
    tests: [
      {
        file: 'server/money/payments/payments.test.ts',
        title: 'the guarantee pays back what was paid within 30 days, once for an account, and ends the plan',
      },
    ],
    limit:
      'A server may take no payments at all, or offer no guarantee. It works once for an account and once for a card. What was paid by coin has no button: the operator pays it back by hand, if they do.',
    measures: [],
    shown: [],
  },
]
