import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { FileContent } from '../../contract/chat/content.ts'
import { objectIdOf } from '../../contract/chat/objects.ts'
import type { Crypto } from '../worker/crypto.ts'
import type { TestPerson } from './people.ts'

/** Sealed files that the server in memory has, by the ids of their objects. */
type Stored = Map<string, Blob>

interface Sent extends Partial<Pick<FileContent, 'as' | 'mediaType' | 'caption' | 'voice'>> {
  name: string
  text?: string
}

/** Seals a file of the person's and keeps it, as it waits to be sent. Returns how it goes on: the server has it, and its message is sent. */
export async function keepsFile(person: TestPerson, other: { userId: string }, { name, text = name, ...about }: Sent) {
  const room = person.room(other)
  const row = await person.core.keepUpload({
    ...{ id: randomUUID(), chatRoomId: room.id, sentAt: new Date().toISOString(), file: new Blob([text]) },
    about: { as: 'file', mediaType: 'application/pdf', caption: '', ...about, name },
  })
  return async (stored: Stored = new Map()): Promise<FileContent> => {
    const object = randomUUID()
    stored.set(object, await person.core.uploadBytes(row))
    await person.core.uploadDone({ ...row, object })
    await person.sends(room)
    return { ...row.content, object }
  }
}

/** Sends a file. */
export const sendsFile = async (
  person: TestPerson,
  other: { userId: string },
  sent: Sent,
  stored?: Stored,
): Promise<FileContent> => (await keepsFile(person, other, sent))(stored)

/** Lets the page fetch files from these until the test has finished; what is not there is answered with 404. Returns what was asked for. */
export function servesFiles(stored: Stored): string[] {
  const asked: string[] = []
  const before = globalThis.fetch
  globalThis.fetch = async (address) => {
    const object = objectIdOf(String(address)) ?? ''
    asked.push(object)
    const sealed = stored.get(object)
    if (!sealed) return new Response(null, { status: 404, statusText: 'Not Found' })
    return new Response(sealed, { headers: { 'Content-Length': String(sealed.size) } })
  }
  onTestFinished(() => {
    globalThis.fetch = before
  })
  return asked
}

/** Opens a file whose sealed bytes arrive, in pieces of so many bytes. */
export async function opensArriving(
  { openFile, handIn }: Pick<Crypto, 'openFile' | 'handIn'>,
  held: { chatRoomId: string; content: FileContent },
  sealed: Blob,
  pieceBytes = 3000,
): Promise<Blob | undefined> {
  const arrival = randomUUID()
  const opening = openFile({ ...held, arrival })
  opening.catch(() => undefined)
  for (let at = 0; at < sealed.size; at += pieceBytes)
    await handIn(arrival, new Uint8Array(await sealed.slice(at, at + pieceBytes).arrayBuffer()))
  await handIn(arrival)
  return await opening
}
