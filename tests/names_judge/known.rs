//! What is known to be wrong.

/// Kinds of snippets that are converted wrongly today, and why. Whoever repairs one takes it out.
pub(crate) const KNOWN: &[(&str, &str)] = &[
    ("entity_extern_c", "the declarations of several files are not settled together"),
    ("entity_using_in_header", "the declarations of several files are not settled together"),
    ("field_of_anonymous", "fields and types of a class are not told from free names"),
    ("local_function_declaration", "not all local declarations are seen"),
    ("local_label", "not all local declarations are seen"),
    ("local_object", "not all local declarations are seen"),
    ("local_using_enum", "not all local declarations are seen"),
    ("macro_declares", "what macros declare or build is not followed"),
    ("macro_makes_class", "what macros declare or build is not followed"),
    ("macro_opens_namespace", "what macros declare or build is not followed"),
    ("macro_paste", "what macros declare or build is not followed"),
    ("method_constructor_outside", "methods of bases and of definitions outside are not looked up"),
    ("parameter_pack", "not all shapes of parameters are seen"),
    ("scope_of_loops", "the ends of scopes are not followed"),
];

/// Kinds that are right themselves, and make others beside them wrong.
pub(crate) const SPOILERS: &[(&str, &str)] = &[];
