/** The pages of the settings. */
export const TITLES = {
  profile: 'Profile',
  notifications: 'Notifications',
  storage: 'Storage',
  about: 'About',
  plan: 'Plan',
  security: 'Security',
  privacy: 'Privacy',
  devices: 'Devices',
}

export type Place = keyof typeof TITLES

interface PartWords {
  place: Place
  title: string
  /** Absent where the part has its words itself. */
  text?: string | undefined
}

const on = <Id extends string>(place: Place, parts: Record<Id, [title: string, text?: string]>) =>
  Object.fromEntries(
    Object.entries<[string, string?]>(parts).map(([id, [title, text]]) => [id, { place, title, text }]),
  ) as Record<Id, PartWords>

/** The parts of the pages. Their names stand behind `#` in an address, and Ctrl+K finds their titles. */
export const PARTS = {
  ...on('profile', {
    photo: ['Photo', 'Shown to your contacts and to administrators of this server. Photos are not end-to-end encrypted.'],
    'about-you': ['About you', 'Your contacts see the display name. The username is how others find you; it stays as it is.'],
    address: [
      'Your address',
      'The name of your key: nothing connects to it, not even Tor. Whoever adds you by it need not take the server’s word.',
    ],
    'text-size': ['Text size', 'Of messages and of the field below them, in this browser.'],
    delete: ['Delete account', 'For good, on the server and in this browser.'],
  }),
  ...on('notifications', {
    news: ['This browser'],
    closed: ['While Conclave is closed'],
    muted: ['Muted chats'],
  }),
  ...on('storage', {
    files: ['In this browser'],
    export: ['Export', 'A copy of all that this browser can read.'],
  }),
  ...on('about', {
    code: ['The code of this page', 'What this browser runs, and who signed it.'],
    server: ['This server', 'Whom this browser talks to.'],
  }),
  ...on('security', {
    password: ['Change password', 'Your other browsers are signed out.'],
    kit: ['Recovery kit', 'The only way back in without a password.'],
    lock: ['Lock this browser', 'When you leave it open and go away.'],
    biometric: ['Biometric sign-in', 'A second factor beside the password.'],
    passkeys: ['Passkeys', 'A fingerprint, your face or a hardware key.'],
    offline: ['Without a connection', 'Where the server cannot be reached.'],
    administrators: ['What administrators did', 'To your account, in the last 90 days.'],
  }),
  ...on('privacy', {
    contacts: ['What contacts see', 'It counts both ways: what you hide, you do not see of them.'],
    timer: ['New chats', 'How long what is written in them stays.'],
    calls: ['Calls', 'What they show, and what they use.'],
    line: ['Your line', 'What it tells whoever watches it.'],
    blocked: ['Blocked people', 'They are not told, and see you as away.'],
  }),
  ...on('devices', {
    browsers: ['Other browsers'],
    sessions: ['Sessions without keys'],
    end: ['End all others'],
    opening: ['New browsers', 'What opens one that you add.'],
    history: ['History', 'What a new browser can read of the past.'],
  }),
}

export type PartId = keyof typeof PARTS

/** What `Part` takes for a part of the settings. */
export const part = (id: PartId) => ({ id, title: PARTS[id].title, text: PARTS[id].text ?? '' })
