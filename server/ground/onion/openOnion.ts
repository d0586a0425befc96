import type { Server } from 'node:http'
import path from 'node:path'
import type { Config, Listener } from '../../settings/config.ts'
import { clientKeys } from './clients.ts'
import { type Door, openDoor, socketFolder } from './door.ts'
import { OnionError, wordsOf } from './onionError.ts'
import { type OnionKey, onionFolder, prepareKey } from './onionKey.ts'
import { publishBy } from './operatorsTor.ts'
import { startTor } from './ownTor.ts'
import { findTor, NO_PROGRAM } from './program.ts'
import { makeSay } from './say.ts'
import { type Stoppable, supervise } from './supervise.ts'

export interface Onion {
  /** undefined before it is published; where Tor is required, before its key is there. */
  address(): string | undefined
  /** True: nobody comes otherwise. */
  isRequired: boolean
  /** `open` makes a server. Rejects with OnionError where Tor is required and cannot be. */
  start(open: (listener: Listener) => Server): Promise<void>
  stop(): Promise<void>
}

export interface OnionOptions {
  dataFolder: string
  log: { info: (sentence: string) => void; warn: (sentence: string) => void }
  findProgram?: () => string | undefined
  againMs?: readonly [number, number]
  /** Until the log says what tor waits for. */
  patienceMs?: number
}

const AGAIN_MS = [1000, 60_000] as const
const PATIENCE_MS = 60_000

export const torFolder = (dataFolder: string): string => path.join(dataFolder, 'tor')

export function openOnion({ tor, onionUrl }: Pick<Config, 'tor' | 'onionUrl'>, options: OnionOptions): Onion {
  const isRequired = tor.mode === 'required'
  if (tor.mode === 'off')
    return { address: () => onionUrl?.hostname, isRequired, start: async () => undefined, stop: async () => undefined }

  const { dataFolder, log, findProgram = findTor, againMs = AGAIN_MS, patienceMs = PATIENCE_MS } = options
  const say = makeSay(log)
  const folder = onionFolder(dataFolder)
  let key: OnionKey | undefined
  let sockets: ReturnType<typeof socketFolder> | undefined
  let door: Door | undefined
  let supervised: ReturnType<typeof supervise> | undefined
  let [wasPublished, isPublished] = [false, false]

  const onPublished = () => {
    ;[wasPublished, isPublished] = [true, true]
    say.good(`The onion service is published: http://${key?.address}`)
  }

  /** Throws OnionError. */
  async function prepare(open: (listener: Listener) => Server): Promise<{ key: OnionKey; webPath: string; controlPath: string }> {
    key = prepareKey(folder, key)
    const { address } = key
    try {
      sockets ??= socketFolder(torFolder(dataFolder))
      const webPath = tor.socketPath ?? path.join(sockets.folder, 'web')
      const mode = tor.socketPath === undefined ? 0o600 : 0o666
      door ??= await openDoor(open, {
        socketPath: webPath,
        hasCircuits: !tor.control,
        mode,
        origins: () => [`http://${address}`],
      })
      return { key, webPath, controlPath: path.join(sockets.folder, 'control') }
    } catch (error) {
      throw new OnionError(wordsOf(error, torFolder(dataFolder)))
    }
  }

  async function begin(open: (listener: Listener) => Server, program: string): Promise<Stoppable> {
    const { key: ready, webPath, controlPath } = await prepare(open)
    const clients = clientKeys(folder)
    isPublished = false
    const followed = { say, onPublished, patienceMs }
    if (tor.control) return await publishBy({ ...followed, control: tor.control, key: ready, webPath, clientKeys: clients })
    const places = { torFolder: torFolder(dataFolder), onionFolder: folder, controlPath, webPath }
    return await startTor({ ...places, program, configFile: tor.configFile }, { ...followed, address: ready.address })
  }

  return {
    address: () => (wasPublished || isRequired ? key?.address : undefined),
    isRequired,
    async start(open) {
      const program = tor.control ? '' : findProgram()
      if (program === undefined) {
        if (isRequired) throw new OnionError(`TOR=required: ${NO_PROGRAM}`)
        return log.warn(NO_PROGRAM)
      }
      if (isRequired) await prepare(open)
      if (!tor.control && process.geteuid?.() === 0)
        log.warn('tor runs as root, as this server does: an account of its own would bound what a mistake in either can do')
      supervised = supervise(() => begin(open, program), { againMs, hasWorked: () => isPublished, say })
    },
    async stop() {
      await door?.close()
      await supervised?.stop()
      sockets?.remove()
    },
  }
}
