import { LIMITS } from '../../../contract/ground/limits.ts'
import { showToast } from '../../ui/toast.ts'
import { nameOf } from './fileWords.ts'

/** `direct` sends what the server does not take from browser to browser. */
export function tellTooLarge(direct?: () => void): void {
  const action = direct && { words: 'Send directly', run: direct }
  showToast({
    ...{ tone: 'bad', title: 'File Too Large', text: 'Please select a file smaller than 10MB' },
    ...(action && { action }),
  })
}

export const isTooLarge = ({ size }: File): boolean => size > LIMITS.fileBytes

export const isFitting = ({ size }: File): boolean => size <= LIMITS.fileBytes && size > 0

/** Toasts explain each refusal. `isLargeTold`: but that of large files. */
export function fitting(chosen: File[], isLargeTold = false): File[] {
  if (!isLargeTold && chosen.some(isTooLarge)) tellTooLarge()
  for (const { name } of chosen.filter(({ size }) => size === 0))
    showToast({ tone: 'bad', title: 'Empty File', text: `“${nameOf(name)}” has nothing in it` })
  return chosen.filter(isFitting)
}
