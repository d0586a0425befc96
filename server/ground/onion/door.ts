import { once } from 'node:events'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Listener } from '../../settings/config.ts'
import { circuitOf, readProxyLines } from './proxyline.ts'

const CLOSE_MS = 3000
const SOCKET_BYTES = 107
const NAME_BYTES = 10

interface Options {
  socketPath: string
  /** True if tor names the circuit of each connection first. */
  hasCircuits: boolean
  mode: number
  origins: () => string[]
}

export interface Door {
  /** Lets what is under way end for a moment. */
  close(): Promise<void>
}

/** `open` makes a server of this listener's requests. */
export async function openDoor(
  open: (listener: Listener) => Server,
  { socketPath, hasCircuits, mode, origins }: Options,
): Promise<Door> {
  const server = open({
    ...{ ingress: 'onion', isSecure: false, hasProxy: false, origins },
    ...(hasCircuits && { callerOf: circuitOf }),
  })
  if (hasCircuits) readProxyLines(server)
  // A server that was killed leaves its socket; anything else at that path stays.
  if (lstatSync(socketPath, { throwIfNoEntry: false })?.isSocket()) rmSync(socketPath)
  await once(server.listen(socketPath), 'listening')
  chmodSync(socketPath, mode)
  return {
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      await Promise.race([closed, wait(CLOSE_MS, undefined, { ref: false })])
      server.closeAllConnections()
    },
  }
}

/**
 * A Unix socket's address has 107 bytes: a longer data folder, or one with characters that a torrc cannot have there, gets a folder
 * among the temporary ones, for this account alone.
 */
export function socketFolder(near: string): { folder: string; remove: () => void } {
  if (isFit(near)) {
    mkdirSync(near, { recursive: true, mode: 0o700 })
    return { folder: near, remove: () => undefined }
  }
  const folder = mkdtempSync(path.join(isFit(path.join(tmpdir(), 'conclave-tor-XXXXXX')) ? tmpdir() : '/tmp', 'conclave-tor-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

const isFit = (folder: string): boolean => Buffer.byteLength(folder) + NAME_BYTES <= SOCKET_BYTES && /^[\w/.-]+$/.test(folder)
