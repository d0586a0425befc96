import { randomBytes } from 'node:crypto'
import { filesApi, uploaderApi } from '../../contract/chat/files.ts'
import type { Draft } from '../../contract/chat/messages.ts'
import { paddedBytes } from '../../contract/chat/objects.ts'
import type { Browser, WholeAnswer } from './browser.ts'

/** Bytes as of a sealed file: random, of a padded size. */
export const sealedBytes = (sizeBytes = 20_000): Buffer => randomBytes(paddedBytes(sizeBytes))

/** Sends bytes to an address, as the page does. */
export const puts = (who: Browser, address: string, body: Uint8Array | string): Promise<WholeAnswer> =>
  who.request('PUT', address, { body, headers: { origin: who.origin ?? '', 'content-type': 'application/octet-stream' } })

/** The address without its signature. */
export const pathOf = (address: string): string => address.split('?')[0] ?? ''
export const idOf = (address: string): string => pathOf(address).split('/').at(-1) ?? ''

/** Uploads a sealed file in one request. Returns its path. */
export async function uploadsFile(who: Browser, body: Uint8Array = sealedBytes()): Promise<string> {
  const { url } = await who.does(uploaderApi.params, {})
  const { status, text } = await puts(who, url, body)
  if (status !== 200) throw new Error(`The file was answered ${status}: ${text}`)
  return pathOf(url)
}

/** What a message says of a file. */
export const fileOf = (path: string, sizeBytes: number): Pick<Draft, 'messageType' | 'filePath' | 'fileName' | 'fileSize'> => ({
  messageType: 'file',
  filePath: path,
  fileName: idOf(path),
  fileSize: sizeBytes,
})

/** Reads the bytes of a file, or a range of them. */
export async function reads(url: string, who: Browser, path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url + path, { headers: { cookie: who.cookie ?? '', ...headers } })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

export const removesFile = (who: Browser, path: string) => who.tries(filesApi.remove, { objectId: idOf(path) })
