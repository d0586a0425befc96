import type { User } from '../../../contract/account/account.ts'
import { onionOf } from '../../../contract/people/onion.ts'
import type { Env } from '../../env.ts'
import { personOfDirect } from '../../rooms/list/members.ts'
import type { Room } from '../../rooms/list/room.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { catchUp } from '../../rooms/log/catchUp.ts'
import { loadOlderPage } from '../../rooms/log/olderPage.ts'
import { nameOf, type Person, peopleStore } from '../../rooms/trust/people.ts'
import { type ExportedPerson, FONTS_FILE, indexPage } from './chatPage.ts'
import { FOLDER, type WrittenChat, writeChat } from './writeChat.ts'
import { openArchive } from './zipArchive.ts'

/** Progress of an export. */
export interface ExportProgress {
  chatsDone: number
  chats: number
  messages: number
  files: number
  /** Name of the person whose chat is being read. */
  name: string
}

export interface ExportResult {
  archive: Blob
  fileName: string
  chats: number
  messages: number
  /** Number of messages that this browser cannot decrypt. The archive marks them. */
  unreadable: number
  /** Number of files in the archive, and of those that could not be had. The archive names these too. */
  files: number
  missingFiles: number
}

interface Options {
  /** All rooms of the account. */
  rooms: Room[]
  /** True if the files of messages come along. */
  hasFiles: boolean
  /** The style sheet with the letters of the pages (`pageFonts`). */
  fonts?: string
  onProgress: (progress: ExportProgress) => void
  signal: AbortSignal
}

/**
 * Makes a ZIP of everything that this account can read: JSON for programs and HTML for people. Fetches older messages first. The
 * server sees only these requests, and those for files that this browser does not keep. Throws ApiError, CryptoFailure, or the signal's reason.
 */
export async function exportAccount(
  env: Env,
  user: User,
  { rooms, hasFiles, fonts = '', onProgress, signal }: Options,
): Promise<ExportResult> {
  const exportedAt = env.clock()
  const zip = openArchive()
  const chats: ({ other: ExportedPerson; file: string } & WrittenChat)[] = []
  const sum = (what: keyof WrittenChat) => chats.reduce((sum, chat) => sum + chat[what], 0)
  for (const [at, room] of rooms.entries()) {
    // A chat with a password is not in an export [Note: L1].
    if ((roomById(room.id)?.lock ?? 'none') !== 'none') continue
    const person = personOfDirect(room, peopleStore.getState().people)
    if (!person) continue
    const other = exportedPerson(person)
    const [messages, files] = [sum('messages'), sum('files')]
    const count = (here: { messages: number; files: number }) =>
      onProgress({
        ...{ chatsDone: at, chats: rooms.length, name: other.displayName },
        ...{ messages: messages + here.messages, files: files + here.files },
      })
    count({ messages: 0, files: 0 })
    await fetchAll(env, room, signal)
    const name = `${String(at + 1).padStart(3, '0')}-${fileWord(other.username)}`
    const written = await writeChat(env, room, { other, zip, name, hasFiles, count, signal })
    chats.push({ other, file: `${FOLDER}/${name}.html`, ...written })
  }
  const owner = { username: user.username, displayName: user.displayName, onionAddress: user.onionAddress }
  const account = { format: 'conclave-export', version: 1, exportedAt: exportedAt.toISOString(), account: owner }
  zip
    .text('account.json')
    .end(
      JSON.stringify({ ...account, chats: chats.map(({ other, file, ...counts }) => ({ ...other, ...counts, file })) }, null, 2),
    )
  zip.text(FONTS_FILE).end(fonts)
  zip.text('index.html').end(indexPage(owner, exportedAt, chats))
  const fileName = `conclave-${fileWord(user.username)}-${exportedAt.toISOString().slice(0, 10)}.zip`
  return {
    ...{ archive: zip.end(), fileName, chats: chats.length, messages: sum('messages'), unreadable: sum('unreadable') },
    ...{ files: sum('files'), missingFiles: sum('missingFiles') },
  }
}

/** Fetches the whole chat into this browser's vault. */
async function fetchAll(env: Env, room: Room, signal: AbortSignal): Promise<void> {
  await catchUp(env, room)
  const first = async () => (await env.crypto.page({ chatRoomId: room.id, limit: 1 })).from
  for (let from = await first(); from > 1; ) {
    signal.throwIfAborted()
    if (!(await loadOlderPage(env, room, from))) return
    const next = await first()
    if (next >= from) return
    from = next
  }
}

/** A username as part of a file name. The server chose it, so only characters of valid usernames get into a path. */
export const fileWord = (username: string): string =>
  username
    .toLowerCase()
    .replace(/[^a-z0-9_]/g, '')
    .slice(0, 30) || 'someone'

const exportedPerson = (person: Person): ExportedPerson => ({
  username: person.username,
  displayName: nameOf(person),
  onionAddress: onionOf(person.identityKey),
})
