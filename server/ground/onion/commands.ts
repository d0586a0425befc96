import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '../../settings/config.ts'
import { addClient, isClientName, listClients, removeClient } from './clients.ts'
import { authenticate, connectControl } from './control.ts'
import { OnionError } from './onionError.ts'
import { KEY_FILE, onionFolder, readKey } from './onionKey.ts'
import { torFolder } from './openOnion.ts'
import { TORRC } from './torrc.ts'

type Settings = Pick<Config, 'tor' | 'onionUrl'>

/** Makes no key. Throws OnionError. */
export function showOnion({ onionUrl }: Settings, dataFolder: string): string[] {
  if (onionUrl) return [onionUrl.origin, 'Somebody else publishes it, with a key that is not here']
  return [
    `http://${requireKey(dataFolder)}`,
    `Its key: ${path.join(onionFolder(dataFolder), KEY_FILE)}. Whoever has it can stand at this address: keep copies of it secret`,
  ]
}

/** undefined for an unknown verb. Throws OnionError. */
export async function changeClients(
  settings: Settings,
  dataFolder: string,
  [verb, name = '']: string[],
): Promise<string[] | undefined> {
  const folder = onionFolder(dataFolder)
  if (settings.onionUrl) throw new OnionError('Somebody else publishes the onion service of ONION_URL, and says who may come')
  if (verb === 'list') {
    const names = listClients(folder)
    return names.length > 0 ? names : ['Everybody may come: no client is named']
  }
  if ((verb !== 'add' && verb !== 'remove') || name === '') return undefined
  if (!isClientName(name)) throw new OnionError('A client is named by letters, digits, - and _, 41 at most')
  const address = requireKey(dataFolder)
  if (verb === 'remove') {
    if (!removeClient(folder, name)) throw new OnionError(`No client is called ${name}`)
    const isLast = listClients(folder).length === 0
    const left = isLast ? 'No client is named any more, so everybody may come' : `${name} may no longer come`
    return [`${left}. ${await tellTor(settings, dataFolder)}`]
  }
  const privateKey = addClient(folder, name)
  if (privateKey === undefined) throw new OnionError(`There is a client called ${name} already`)
  return [
    `${name} may come, and nobody who is not named. ${await tellTor(settings, dataFolder)}`,
    `The key that Tor Browser asks ${name} for, shown this once: ${privateKey}`,
    `The line of a file in ClientOnionAuthDir: ${address.replace('.onion', '')}:descriptor:x25519:${privateKey}`,
  ]
}

function requireKey(dataFolder: string): string {
  const key = readKey(onionFolder(dataFolder))
  if (key) return key.address
  throw new OnionError(`No onion key lies in ${onionFolder(dataFolder)}: the server makes one at its first start with TOR`)
}

/** Says what tor makes of it. The change stands in any case, and the key that is shown once is still to be shown. */
async function tellTor({ tor }: Settings, dataFolder: string): Promise<string> {
  if (tor.control) return 'It counts once the server has started again'
  try {
    await reload(dataFolder)
    return 'tor has read it'
  } catch (error) {
    // Nobody listens there.
    if (error instanceof Error && 'code' in error) return 'It counts from the next start on: no tor of this server runs'
    return `It counts from the next start on: tor has not read it (${error instanceof Error ? error.message : error})`
  }
}

async function reload(dataFolder: string): Promise<void> {
  const torrc = readFileSync(path.join(torFolder(dataFolder), TORRC), 'utf8')
  const socketPath = /^ControlSocket (.+)$/m.exec(torrc)?.[1] ?? ''
  const control = await connectControl({ path: socketPath }, () => undefined)
  try {
    await authenticate(control, undefined)
    await control.ask('SIGNAL RELOAD')
  } finally {
    control.end()
  }
}
