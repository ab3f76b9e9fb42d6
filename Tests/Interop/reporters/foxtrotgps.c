// Preloaded into foxtrotgps: prints each text that the program puts into a label, `NAME<tab>TEXT`.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

static void print(const char *setter, void *label, const char *text) {
  const char *(*name)(void *) = (const char *(*)(void *))dlsym(RTLD_DEFAULT, "glade_get_widget_name");
  void (*set)(void *, const char *) = (void (*)(void *, const char *))dlsym(RTLD_NEXT, setter);
  const char *known = name ? name(label) : NULL;
  printf("%s\t%s\n", known ? known : "-", text);
  fflush(stdout);
  set(label, text);
}

void gtk_label_set_label(void *label, const char *text) { print("gtk_label_set_label", label, text); }
void gtk_label_set_text(void *label, const char *text) { print("gtk_label_set_text", label, text); }
