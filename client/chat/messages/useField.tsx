import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import { hasKeyboard } from '../../ui/writeOn.ts'

type FieldRef = RefObject<HTMLTextAreaElement | null>

// A measurement costs a layout at each key and each tap on Send.
const FITS_BY_ITSELF = CSS.supports('field-sizing', 'content')

export function useHeight(field: FieldRef, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what changes the height
  useLayoutEffect(() => {
    if (!field.current || FITS_BY_ITSELF) return
    field.current.style.height = 'auto'
    field.current.style.height = `${field.current.scrollHeight}px`
  }, [field, text])
}

/** Takes no focus that opens an on-screen keyboard, nor from a busy person. */
export function useFocus(field: FieldRef, isOff: boolean) {
  const isNew = useRef(true)
  const hadFocus = useRef(hasKeyboard())
  const remember = useCallback(() => {
    hadFocus.current = document.activeElement === field.current || document.activeElement === document.body
  }, [field])
  useEffect(() => {
    // A pressed button of the contact panel may have gone.
    const isFree = isNew.current || (document.activeElement === document.body && !document.querySelector('.details'))
    isNew.current = false
    if (isOff) return
    if (hadFocus.current && isFree) field.current?.focus({ preventScroll: true })
    return () => remember()
  }, [field, isOff, remember])
}
