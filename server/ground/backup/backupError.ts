import { Refusal } from '../../refuse.ts'
import { isConnectionLost } from '../db/connect.ts'

/** A backup or a restore cannot be made; the message says why and what to do. */
export class BackupError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BackupError'
  }
}

const FULL = new Set(['ENOSPC', 'EDQUOT'])

const noSpace = (folder: string): string => `No space is left in ${folder}. What was begun there is taken away again`

export function named(error: unknown, folder: string): unknown {
  if (error instanceof BackupError || !(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  if (FULL.has(code)) return new BackupError(noSpace(folder))
  if (error instanceof Refusal && error.code === 'server_full') return new BackupError(noSpace(folder))
  if (isConnectionLost(error))
    return new BackupError('The database stopped meanwhile, so nothing of this counts. Try again when it runs')
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new BackupError(`${error.message}. Run this by the account that runs Conclave`)
  return error
}
