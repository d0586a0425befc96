import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react'

type FieldRef = RefObject<HTMLTextAreaElement | null>

// Measuring the field costs a layout of the page at each key and at each tap on Send.
const FITS_BY_ITSELF = CSS.supports('field-sizing', 'content')

/** Fits the field's height to its text, up to the stylesheet's maximum, where the browser does not. */
export function useHeight(field: FieldRef, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what changes the height
  useLayoutEffect(() => {
    if (!field.current || FITS_BY_ITSELF) return
    field.current.style.height = 'auto'
    field.current.style.height = `${field.current.scrollHeight}px`
  }, [field, text])
}

/** False where the focus in a field opens an on-screen keyboard. */
export const hasKeyboard = (): boolean => matchMedia('(pointer: fine) and (min-width: 768px)').matches

/**
 * Focuses the field when it appears, unless that opens an on-screen keyboard, and again when it opens after it was shut, unless the
 * person is busy elsewhere.
 */
export function useFocus(field: FieldRef, isOff: boolean) {
  const isNew = useRef(true)
  const hadFocus = useRef(hasKeyboard())
  const remember = useCallback(() => {
    hadFocus.current = document.activeElement === field.current || document.activeElement === document.body
  }, [field])
  useEffect(() => {
    // In the open contact panel a pressed button may just have gone.
    const isFree = isNew.current || (document.activeElement === document.body && !document.querySelector('.details'))
    isNew.current = false
    if (isOff) return
    if (hadFocus.current && isFree) field.current?.focus({ preventScroll: true })
    return () => remember()
  }, [field, isOff, remember])
}
