import { LIMITS } from '../../../contract/ground/limits.ts'
import { showToast } from '../../ui/toast.ts'
import { nameOf } from './fileWords.ts'

/** Toasts explain each refusal. */
export function fitting(chosen: File[]): File[] {
  if (chosen.some(({ size }) => size > LIMITS.fileBytes))
    showToast({ tone: 'bad', title: 'File Too Large', text: 'Please select a file smaller than 10MB' })
  for (const { name } of chosen.filter(({ size }) => size === 0))
    showToast({ tone: 'bad', title: 'Empty File', text: `“${nameOf(name)}” has nothing in it` })
  return chosen.filter(({ size }) => size <= LIMITS.fileBytes && size > 0)
}
