import type { CallContent } from '../../../contract/chat/content.ts'
import { callDetails } from '../callline/lineWords.ts'
import { nameOf, sizeWords } from '../files/fileWords.ts'

/** A file of a message. `path` leads to it from the page of its chat; null if it is not in the archive, for the `reason`. */
interface ExportedFile {
  name: string
  mediaType: string
  sizeBytes: number
  caption: string
  path: string | null
  reason?: string
}

/** One message of an exported chat. `at` is the server's time, ISO 8601. */
export interface ExportedMessage {
  seq: number | null
  id: string
  at: string
  /** When its author sent it, where the server's time is far from that. */
  sentAt?: string
  /** `notice`: a line that Conclave has written. */
  from: 'me' | 'them' | 'notice'
  /** The message text; null if it cannot be read, with the cause in `reason`. */
  text: string | null
  reason?: string
  file?: ExportedFile
  /** The message that this one replies to, in the words of whoever quotes it. */
  replyTo?: { id: string; from: 'me' | 'them'; words: string }
  isForwarded?: true
  call?: Pick<CallContent, 'callType' | 'outcome' | 'seconds' | 'isCompared'>
  /** Unchanged content that a newer version of the page can read. */
  raw?: unknown
  /** False for a program's plain text, which the server could read. */
  isEncrypted: boolean
}

export interface ExportedPerson {
  username: string
  displayName: string
  onionAddress: string | null
}

/** The paper of the recovery kit: serif names, ink rules, one column. Its letters are in one file beside the pages; nothing is fetched. */
const STYLE = `
:root { color-scheme: light dark; --paper: light-dark(#f7f6f2, #0e1118); --sheet: light-dark(#fefefd, #151922); --ink: light-dark(#16181d, #e9e8e4);
--soft: light-dark(#565a63, #a6a9b2); --line: light-dark(#dddcd6, #2a2f3a); --mine: light-dark(#e3eaf6, #1d2a44);
--serif: 'Newsreader Variable', 'Iowan Old Style', Georgia, 'Times New Roman', serif; font: 420 15px/23px 'Inter Variable', system-ui, sans-serif }
body { max-width: 40rem; margin: 2rem auto; padding: 1.5rem 1.75rem 1.25rem; background: var(--sheet); color: var(--ink); border: 1px solid var(--line); border-radius: 4px }
html { background: var(--paper) }
h1 { font: 400 1.875rem/2.25rem var(--serif); letter-spacing: -.015em; margin: .25rem 0; overflow-wrap: anywhere }
h2 { font-size: .8125rem; line-height: 1.25rem; font-weight: 620; margin: 2rem 0 .75rem; padding-top: .75rem; border-top: 1px solid var(--ink) }
p { margin: .5rem 0 } a { color: inherit } .small { font-size: .8125rem; line-height: 1.25rem; color: var(--soft); overflow-wrap: anywhere }
ul { margin: 1.5rem 0 0; padding: 0; list-style: none; border-top: 1px solid var(--ink) } li { padding: .625rem 0; border-bottom: 1px solid var(--line) }
.m { margin: .375rem 0; padding: .5rem .875rem; border-radius: 12px; background: var(--paper); width: fit-content; max-width: 85% }
.m.me { margin-left: auto; background: var(--mine) } .m p { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere }
.m time, .m .who { font-size: .75rem; color: var(--soft) } .m.odd { border: 1px dashed var(--soft); background: none }
.m img { display: block; max-width: 100%; max-height: 22rem; border-radius: 8px; margin: .25rem 0 }
.m blockquote { margin: .25rem 0; padding-left: .625rem; border-left: 2px solid var(--soft); font-size: .8125rem; line-height: 1.25rem; color: var(--soft); overflow-wrap: anywhere }
.notice { text-align: center; font-size: .8125rem; color: var(--soft) }
@media (max-width: 40rem) { body { margin: 0; border: 0; border-radius: 0; padding: 1rem } }
@media print { :root { color-scheme: light } html, body { background: none; border: 0; margin: 0; padding: 0 } .m { break-inside: avoid } h2 { break-after: avoid } }
`

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replace(/[&<>"']/g, (mark) => ESCAPES[mark] ?? mark)

const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'full' })
const clock = new Intl.DateTimeFormat('en-US', { timeStyle: 'short' })
const moment = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short' })

/** The file with the letters, beside index.html. */
export const FONTS_FILE = 'fonts.css'

const head = (title: string, fonts: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline' 'self' file:; font-src data:; img-src 'self' file:">
<title>${escaped(title)}</title><link rel="stylesheet" href="${fonts}"><style>${STYLE}</style></head><body>`

export const PAGE_END = '</body></html>\n'

const personName = ({ displayName, username }: ExportedPerson): string => `${displayName} (@${username})`

/** The HTML before a chat's messages. */
export const chatStart = (other: ExportedPerson): string =>
  `${head(personName(other), `../${FONTS_FILE}`)}<p><a href="../index.html">All chats</a></p>
<h1><bdi>${escaped(other.displayName)}</bdi></h1><p class="small">@${escaped(other.username)}${
    other.onionAddress ? ` · ${escaped(other.onionAddress)}` : ''
  }</p>`

/** The HTML of some messages. `dayBefore` is the day of the message above them. */
export function chatLines(
  messages: ExportedMessage[],
  other: ExportedPerson,
  dayBefore: string,
): { html: string; lastDay: string } {
  let lastDay = dayBefore
  const html = messages.map((message) => {
    const today = day.format(new Date(message.at))
    const heading = today === lastDay ? '' : `<h2>${escaped(today)}</h2>`
    lastDay = today
    return heading + line(message, other)
  })
  return { html: html.join(''), lastDay }
}

function line(
  { at, sentAt, from, text, reason, isEncrypted, file, call, replyTo, isForwarded }: ExportedMessage,
  other: ExportedPerson,
): string {
  if (from === 'notice') return `<p class="notice">${escaped(text ?? '')}</p>`
  const who = from === 'me' ? 'You' : other.displayName
  const words = text === null ? `<em>Not readable here: ${escaped(reason ?? '')}</em>` : escaped(text)
  const content = file ? fileHtml(file, words) : `<p dir="auto">${words}</p>`
  const author = replyTo?.from === 'me' ? 'You' : other.displayName
  const quoted = replyTo
    ? `<blockquote><bdi>${escaped(author)}</bdi>: <span dir="auto">${escaped(replyTo.words)}</span></blockquote>`
    : ''
  const written = sentAt === undefined ? '' : `written ${moment.format(new Date(sentAt))}`
  const became = call ? callDetails(call, from === 'me') : []
  const forwarded = isForwarded ? 'forwarded' : ''
  const notes = [...became, forwarded, written, isEncrypted ? '' : 'not encrypted', text !== null && reason ? reason : ''].filter(
    Boolean,
  )
  return `<div class="m ${from}${text === null ? ' odd' : ''}"><span class="who"><bdi>${escaped(who)}</bdi></span>${quoted}${content}
<time datetime="${escaped(at)}">${escaped(clock.format(new Date(at)))}${notes.length > 0 ? ` · ${escaped(notes.join(', '))}` : ''}</time></div>\n`
}

/** Endings of files that a browser shows without running anything of them. A file with another one is named and not linked. */
const PICTURE = /\.(png|jpe?g|gif|webp|avif)$/i
const SHOWN = /\.(png|jpe?g|gif|webp|avif|mp4|webm|mov|mp3|m4a|ogg|opus|wav|pdf|txt)$/i

function fileHtml({ name, sizeBytes, caption, path, reason }: ExportedFile, words: string): string {
  const shown = `<bdi>${escaped(nameOf(name)) || words}</bdi> (${sizeWords(sizeBytes)})`
  const below = caption ? `<p dir="auto">${escaped(caption)}</p>` : ''
  if (path === null) return `<p><em>${shown} is not in this archive: ${escaped(reason ?? '')}</em></p>${below}`
  const href = escaped(path.split('/').map(encodeURIComponent).join('/'))
  if (!SHOWN.test(path)) return `<p>${shown}, as ${escaped(path)}</p>${below}`
  const image = PICTURE.test(path) ? `<a href="${href}"><img src="${href}" alt="" loading="lazy"></a>` : ''
  return `${image}<p><a href="${href}">${shown}</a></p>${below}`
}

interface IndexEntry {
  other: ExportedPerson
  file: string
  messages: number
  unreadable: number
  files: number
  missingFiles: number
}

/** The HTML page with links to all chats. */
export function indexPage(owner: ExportedPerson, exportedAt: Date, chats: IndexEntry[]): string {
  const rows = chats.map(
    ({ other, file, messages, unreadable, files, missingFiles }) =>
      `<li><a href="${escaped(encodeURI(file))}"><bdi>${escaped(other.displayName)}</bdi></a> <span class="small">@${escaped(other.username)} · ${
        messages
      } message${messages === 1 ? '' : 's'}${unreadable > 0 ? ` · ${unreadable} not readable` : ''}${files > 0 ? ` · ${files} file${files === 1 ? '' : 's'}` : ''}${
        missingFiles > 0 ? ` · ${missingFiles} not in this archive` : ''
      }</span></li>`,
  )
  return `${head('Conclave export', FONTS_FILE)}<h1>Conclave export</h1>
<p><bdi>${escaped(personName(owner))}</bdi></p><p class="small">${escaped(moment.format(exportedAt))}${
    owner.onionAddress ? ` · ${escaped(owner.onionAddress)}` : ''
  }</p>
<p class="small">These pages are not encrypted: whoever has this archive can read it. Times are those of the server.</p>
<ul>${rows.join('')}</ul>${PAGE_END}`
}
