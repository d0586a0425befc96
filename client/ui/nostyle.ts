/**
 * Stands in the place of react-style-singleton: the scroll lock of dialogs would add a `<style>`, which the
 * Content-Security-Policy refuses. The page itself never scrolls (foundation.css), so there is nothing to lock.
 */
export const styleSingleton = () => () => null
