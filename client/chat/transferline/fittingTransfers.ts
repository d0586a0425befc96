import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import { TOASTS } from './transferWords.ts'

export interface Fault {
  title: string
  text: string
}

interface Fitting {
  files: File[]
  faults: Fault[]
}

/** What can be offered, and why the rest cannot. `folders`: names of what was dropped. */
export function fittingTransfers(chosen: readonly File[], folders: readonly string[] = []): Fitting {
  const isTooLarge = ({ size }: File) => size > TRANSFER_LIMITS.fileBytes
  return {
    files: chosen.filter((file) => file.size > 0 && !isTooLarge(file)),
    faults: [
      ...folders.map(TOASTS.folder),
      ...chosen.filter(isTooLarge).map(({ name }) => TOASTS.tooLarge(name)),
      ...chosen.filter(({ size }) => size === 0).map(({ name }) => TOASTS.empty(name)),
    ],
  }
}

/** A folder comes as a file that cannot be read, so folders are told apart at the drop. */
export function droppedOf({ items, files }: DataTransfer): { files: File[]; folders: string[] } {
  const dropped: File[] = []
  const folders: string[] = []
  for (const item of items) {
    if (item.kind !== 'file') continue
    const entry = item.webkitGetAsEntry?.()
    const file = item.getAsFile()
    if (entry?.isDirectory) folders.push(entry.name)
    else if (file) dropped.push(file)
  }
  return items.length === 0 ? { files: [...files], folders } : { files: dropped, folders }
}
