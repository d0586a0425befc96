import { execFile } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

/** A service's PATH often lacks these. */
const FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin']

const ANSWER_MS = 5000

export const NO_PROGRAM =
  'No tor program was found, so there is no onion service: install the package tor (apt install tor, dnf install tor, apk add tor, ' +
  'brew install tor) and start Conclave again, or set TOR=off'

export function findTor(searched = process.env['PATH'] ?? ''): string | undefined {
  const folders = [...searched.split(path.delimiter).filter((each) => path.isAbsolute(each)), ...FOLDERS]
  return folders.map((folder) => path.join(folder, 'tor')).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** A tor that was built without the module refuses the option. */
export async function hasProofOfWork(program: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(program, ['--list-modules'], { timeout: ANSWER_MS })
    return /^pow: yes$/m.test(stdout)
  } catch {
    // An older tor does not know the question.
    return false
  }
}
