/** Whether a field of a form differs from how the page came. */
export function isChanged(control: Element): boolean {
  if (control instanceof HTMLSelectElement) {
    // Without a default, the browser shows the first.
    const saved = [...control.options].findIndex((option) => option.defaultSelected);
    return control.selectedIndex !== Math.max(0, saved);
  }
  if (control instanceof HTMLTextAreaElement) return control.value !== control.defaultValue;
  if (!(control instanceof HTMLInputElement)) return false;
  if (control.type === 'checkbox' || control.type === 'radio') return control.checked !== control.defaultChecked;
  return control.value !== control.defaultValue;
}
