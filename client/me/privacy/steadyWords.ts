import { STEADY } from '../../../contract/ground/steady.ts'

const HOUR_MS = 60 * 60 * 1000

/** Pings and pongs of an hour. */
const hourBytes = (HOUR_MS / STEADY.pingMs) * 2 * STEADY.frameBytes

/** Base64 makes four characters of three bytes. */
const messageBytes = ((STEADY.textBytes - STEADY.plainTextBytes) * 4) / 3

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1)
const kilobytes = (bytes: number) => String(Math.round(bytes / 1000))

export const STEADY_WORDS = {
  title: 'Steady traffic',
  text: 'What your line tells whoever watches it.',
  name: 'Steady traffic',
  cost: `It costs ${megabytes(hourBytes)} MB an hour while this page is on screen, and a short message some ${kilobytes(messageBytes)} kB more on each way that it takes. For this browser alone, and of most use over Tor.`,
  more: 'What it covers, and what not',
  covers: [
    'Short messages that you send here all have one length, long ones one of three.',
    `A ping of one length goes out every ${STEADY.pingMs / 1000} seconds, and an answer of the same length comes back. A quiet line then does not tell whether the page is read.`,
  ],
  shows: [
    'That this browser is connected, and when you send a message: no made-up ones go beside it. How large files, photos and calls are. That the page is hidden, when it pings less often. The lines that calls write stay short.',
    'It changes nothing in what the server knows.',
  ],
  failed: 'Nothing was changed',
}
