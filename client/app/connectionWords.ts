import { connectingWords, isOnionOrigin } from '../net/onion.ts'
import type { ConnectionState } from '../net/status.ts'
import { clockTime } from '../ui/time.ts'

type Told = Pick<ConnectionState, 'phase' | 'pause' | 'ingress' | 'onionAddress' | 'isTorRequired'>

interface Line {
  what: string
  how: string
  isSafe: boolean
}

interface Explained {
  title: string
  text: string
  lines: Line[]
  /** What else holds. */
  note?: string
}

/** How one is connected, for whoever asks. `heardAt`: when the server was last heard, `now`: both in ms since 1970. */
export function explained(told: Told, isOnline: boolean, heardAt: number, now: number): Explained {
  if (told.phase !== 'open') return waiting(told, isOnline, Math.max(0, Math.floor((now - heardAt) / 1000)))
  return told.ingress === 'onion' ? viaTor(told, heardAt) : direct(told)
}

const viaTor = ({ isTorRequired }: Told, heardAt: number): Explained => ({
  title: 'Connected via Tor',
  text: 'By this server’s onion service. The server does not see your network address, and nobody on the way learns whom you reach. It still knows your account, and when you are here.',
  lines: [
    { what: 'Messages and files', how: 'by onion', isSafe: true },
    { what: 'Calls, direct files', how: isTorRequired ? 'never' : 'only if you allow one', isSafe: true },
    { what: 'Anything else', how: 'nothing by itself', isSafe: true },
  ],
  note: `Said by this connection itself, last heard at ${clockTime(new Date(heardAt))}.`,
})

function direct({ onionAddress }: Told): Explained {
  const sealed = { what: 'What you write', how: 'sealed', isSafe: true }
  if (isOnionOrigin())
    return {
      title: 'Connected, not via Tor',
      text: 'You have opened an onion address, but the server did not receive this connection by an onion service of its own. Whoever runs that address hands your traffic on, and the server cannot tell that it came by Tor.',
      lines: [sealed, { what: 'Calls, direct files', how: 'only if you allow one', isSafe: true }],
    }
  return {
    title: 'Connected, not via Tor',
    text: 'What you write is sealed all the same. But your provider sees that you use this server, and the server sees your network address.',
    lines: [sealed, { what: 'Your network address', how: 'seen by the server', isSafe: false }],
    note: onionAddress
      ? 'Open this in Tor Browser, and sign in there by password or recovery kit:'
      : 'This server names no onion address.',
  }
}

const KEPT = 'What you type stays here, and what waits to be sent goes by itself.'

function waiting({ pause }: Told, isOnline: boolean, seconds: number): Explained {
  if (!isOnline)
    return {
      title: 'You are offline',
      text: 'This device has no network. Conclave connects by itself once it has one.',
      lines: [],
      note: KEPT,
    }
  if (pause === 'too_many')
    return {
      title: 'Paused: too many tabs',
      text: 'You have Conclave open in more tabs than one account may have. Close some of them, then try again.',
      lines: [],
    }
  if (pause === 'asked')
    return {
      title: 'Paused: the server asks to wait',
      text: 'Many come to it at once, or it starts anew. This page connects by itself within a minute.',
      lines: [],
      note: KEPT,
    }
  if (pause === 'other_version')
    return {
      title: 'Paused: the server has another version',
      text: 'This page and the server do not understand each other. Reload the page: drafts are kept.',
      lines: [],
    }
  if (pause === 'refused_version')
    return {
      title: 'Stopped: the server’s version is not trusted',
      text: 'This browser does not start the version that the server offers. Settings, About says why.',
      lines: [],
    }
  const how = isOnionOrigin()
    ? 'Your browser looks for a way to this server through Tor, which may take up to a minute.'
    : 'This page tries again by itself.'
  return {
    title: connectingWords(),
    text: `No connection for ${secondsWords(seconds)}. ${how}`,
    lines: [],
    note: isOnionOrigin() ? `${KEPT} Nothing falls back to the open network.` : KEPT,
  }
}

const secondsWords = (seconds: number): string =>
  seconds === 1 ? '1 second' : seconds < 120 ? `${seconds} seconds` : `${Math.floor(seconds / 60)} minutes`
