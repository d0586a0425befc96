import { STEADY } from '../../../contract/ground/steady.ts'

const HOUR_MS = 60 * 60 * 1000

/** Pings and pongs of an hour. */
const hourBytes = (HOUR_MS / STEADY.pingMs) * 2 * STEADY.frameBytes

/** Base64 makes four characters of three bytes. */
const messageBytes = ((STEADY.textBytes - STEADY.plainTextBytes) * 4) / 3

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1)
const kilobytes = (bytes: number) => String(Math.round(bytes / 1000))

export const STEADY_WORDS = {
  name: 'Steady traffic',
  cost: `It costs ${megabytes(hourBytes)} MB an hour while this page is on screen, and a short message some ${kilobytes(messageBytes)} kB more on each way that it takes. For this browser alone, and of most use over Tor.`,
  more: 'What it covers, and what not',
  covers: [
    'Short messages that you send here all have one length, longer ones one of three more.',
    `A ping of one length goes out every ${STEADY.pingMs / 1000} seconds, and an answer as long comes back: the line does not fall silent while you look at the page.`,
  ],
  shows:
    'That this browser is connected. When you type, read or send, because nothing made up goes beside it. How large files, photos and calls are. When the page is hidden, because it pings less often. The lines that calls write stay short.',
  server: 'The server knows by the pings that it is on, and no more than before.',
  failed: 'Nothing was changed',
}
